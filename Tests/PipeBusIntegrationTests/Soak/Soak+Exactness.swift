// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// Each frame must be right, or in a cycle that a port on the way has marked.
extension Soak {
    /// Lets the graph run for a second without a fault, and looks at every frame.
    func checkQuiet() async throws {
        try await checkSteady()
        let ports = model.ports.values.filter { !$0.isForeign }.sorted { $0.nodeName < $1.nodeName }
        // Changes of latency pass through the graph in their own time.
        try await pause(.milliseconds(500))
        for port in ports { try await stage.resetSum(port) }
        // Resets are done with the next cycle of each port.
        try await pause(.milliseconds(100))
        let start = Self.now
        steadySince = start
        let unsent = try await unsentFrames()
        try await pause(.seconds(1))
        var reports: [String: SumReport] = [:]
        // Downstream first, so that a mark upstream is not younger than the break that it explains.
        for port in ports.sorted(by: { $0.kind == .receiver && $1.kind != .receiver }) {
            reports[port.nodeName] = try await stage.sum(port)
        }
        let unsentAfter = try await unsentFrames()
        if let difference = await stage.difference(from: model) { throw SoakFailure("After a second: \(difference)") }
        for port in listeners {
            guard let report = reports[port.nodeName] else { continue }
            let upstream = model.upstream(of: port.nodeName)
            // A `clock-sender` does not say when it was late, nor does a filter while it is bypassed.
            let isCertain =
                upstream.allSatisfy { unsent[$0] == unsentAfter[$0] } && upstream.isDisjoint(with: model.bypassed)
            let count = try check(port, report, upstream.compactMap { reports[$0] }, since: start, isCertain: isCertain)
            summary.checked(frames: report.cycles * UInt64(report.frameCount), markedBreaks: count)
        }
        // A cycle that was broken may have been the last one.
        try await converge(within: .seconds(20))
        await logEvents()
    }

    /// Nothing was done to the steady chain itself: each frame was right since the last check, or in a cycle that was marked,
    /// whatever happened meanwhile.
    private func checkSteady() async throws {
        let ports = model.ports.values.filter { model.isReserved($0) }.sorted { $0.nodeName > $1.nodeName }
        var reports: [SumReport] = []
        for port in ports { if let report = try await stage.sum(port) { reports.append(report) } }
        guard let receiver = ports.first, let report = reports.first else { return }
        let count = try check(receiver, report, Array(reports.dropFirst()), since: steadySince, isCertain: true)
        summary.checked(frames: report.cycles * UInt64(report.frameCount), markedBreaks: count)
    }

    private func unsentFrames() async throws -> [String: Int] {
        var frames: [String: Int] = [:]
        for app in stage.apps { if let sender = app.sender { frames[app.name] = try await sender.missedFrames } }
        return frames
    }

    /// CLOCK_MONOTONIC, in nanoseconds, which is the graph's clock too.
    private static var now: UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Returns the number of cycles with a break, each of which a port on the way has marked.
    private func check(
        _ port: SoakPort, _ report: SumReport, _ upstream: [SumReport], since start: UInt64, isCertain: Bool
    ) throws -> UInt64 {
        let marks = (upstream + [report]).flatMap(\.marks)
        let cycle = UInt64(report.frameCount) * 1_000_000_000 / UInt64(max(report.sampleRate, 1))
        // What was missed is missing in a sound that was held back for alignment, too, and comes out later.
        let held = model.longestDelay(before: port.nodeName)
        let delay = UInt64(held) * 1_000_000_000 / UInt64(max(report.sampleRate, 1))
        // A machine that stood still for seconds breaks more than can be looked at.
        let isCertain = isCertain && report.breaks <= UInt64(report.lastBreaks.count)
        let unmarked = report.broken.filter { range in
            range.start > start
                && !marks.contains {
                    let before = min(cycle + delay, range.start)
                    return $0.overlaps(FrameRange(start: range.start - before, end: range.end + cycle))
                }
        }
        .filter { range in
            // An app that is late in libpipewire's own code gives nothing in that cycle, or makes others run before their
            // sources. It runs at every position, so nothing marks that.
            guard isCertain,
                report.untimelyCycles.contains(where: { $0.start <= range.start && range.end <= $0.end })
            else { return true }
            summary.untimelyCycle()
            return false
        }
        if isCertain, let first = unmarked.first {
            throw SoakFailure(
                "\(port.nodeName) heard \(unmarked.count) breaks that nothing marked, the first from \(first.start) to "
                    + "\(first.end), with the slope \(report.slope), in cycles of \(report.frameCount) frames. "
                    + "Its last breaks: \(report.lastBreaks.sorted { $0.cycle < $1.cycle }.prefix(32).map(\.words)). "
                    + "Its last onsets: \(report.lastOnsets.sorted { $0.cycle < $1.cycle }.suffix(16).map(\.words)). "
                    + "Marked: \(marks.prefix(16).map { "\($0.start) to \($0.end)" })")
        }
        guard report.cycles > 0 else { throw SoakFailure("\(port.nodeName) did not run for a second") }
        return UInt64(report.broken.count)
    }
}
