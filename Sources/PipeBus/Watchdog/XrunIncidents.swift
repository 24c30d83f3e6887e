// SPDX-License-Identifier: MIT
import PipeWireClient

/// The last cycles in which a node was late and delayed ours, by the profiler's reports. Pure.
struct XrunIncidents: Sendable {
    private struct Incident {
        /// CLOCK_MONOTONIC, in nanoseconds.
        let time: UInt64
        let culprit: Xrun.Culprit
    }

    private static let capacity = 256
    private var incidents: [Incident] = []

    mutating func add(_ culprit: Xrun.Culprit, in report: ProfilerReport) {
        guard let time = UInt64(exactly: report.driver.signal) else { return }
        if incidents.count >= Self.capacity { incidents.removeFirst(incidents.count - Self.capacity + 1) }
        incidents.append(Incident(time: time, culprit: culprit))
    }

    /// The culprit of the first late cycle in a gap.
    func culprit(of gap: XrunGap) -> Xrun.Culprit? {
        incidents.filter { gap.contains($0.time) }.min { $0.time < $1.time }?.culprit
    }
}
