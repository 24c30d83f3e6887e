// SPDX-License-Identifier: MIT

/// How long each lane of a receiver is delayed. Pure.
package struct AlignmentPlan: Equatable, Sendable {
    package struct Lane: Equatable, Sendable {
        /// In frames.
        package var delay = 0
        package var isAligned = false
    }

    /// How old the aligned lanes' sound is when they hand it on, in frames.
    package var latency = 0
    package var lanes: [Lane]

    /// - Parameters:
    ///   - latencies: of the sound as it arrives, in frames; `nil` for lanes without a source.
    ///   - capacity: sound that is older delays nobody and is not aligned; `nil`: nothing is aligned.
    package init(latencies: [Int?], capacity: Int?) {
        lanes = Array(repeating: Lane(), count: latencies.count)
        guard let capacity else { return }
        let slowest = latencies.compactMap { $0 }.filter { $0 <= capacity }.max() ?? 0
        latency = slowest
        for (lane, latency) in latencies.enumerated() {
            guard let latency, latency <= capacity else { continue }
            lanes[lane] = Lane(delay: slowest - latency, isAligned: true)
        }
    }
}
