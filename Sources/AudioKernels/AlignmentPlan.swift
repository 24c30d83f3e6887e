// SPDX-License-Identifier: MIT

/// Which lanes of a receiver are aligned, and how long each waits. Pure.
package struct AlignmentPlan: Equatable, Sendable {
    package struct Lane: Equatable, Sendable {
        /// How old the sound is when it arrives, in frames. 0 without a source.
        package var latency = 0
        package var isAligned = false
    }

    /// How old the sound of the slowest aligned lane is, in frames: the least that all of them can share.
    package var latency = 0
    package var lanes: [Lane]

    /// - Parameters:
    ///   - latencies: of the sound as it arrives, in frames; `nil` for lanes without a source.
    ///   - capacity: sound that is older delays nobody and is not aligned; `nil`: nothing is aligned.
    package init(latencies: [Int?], capacity: Int?) {
        lanes = latencies.map { Lane(latency: $0 ?? 0) }
        guard let capacity else { return }
        for (lane, latency) in latencies.enumerated() {
            guard let latency, latency <= capacity else { continue }
            lanes[lane].isAligned = true
            self.latency = max(self.latency, latency)
        }
    }

    /// How long a lane waits so that it shares the time of the others, in frames.
    ///
    /// - Parameter held: latency that is not given up yet, in frames. It counts where it is more than the slowest lane's.
    package func delay(ofLane lane: Int, holding held: Int = 0) -> Int {
        lanes[lane].isAligned ? max(latency, held) - lanes[lane].latency : 0
    }
}
