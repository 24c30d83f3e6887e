// SPDX-License-Identifier: MIT

/// Which lanes of a receiver are aligned, and how long each waits. Pure.
package struct AlignmentPlan: Equatable, Sendable {
    package struct Lane: Equatable, Sendable {
        /// The age of the sound on arrival, in frames. 0 without a source.
        package var latency = 0
        package var isAligned = false
    }

    /// The age of the slowest aligned lane's sound, in frames: the least that all aligned lanes can share.
    package var latency = 0
    package var lanes: [Lane]

    /// - Parameters:
    ///   - latencies: age of each lane's sound on arrival, in frames; `nil` for a lane without a source.
    ///   - capacity: largest age that is aligned, in frames. Older sound delays no lane. `nil`: no lane is aligned.
    ///   - leastLatency: age of other sound that the aligned lanes wait for, in frames, unless it is beyond the capacity.
    package init(latencies: [Int?], capacity: Int?, leastLatency: Int = 0) {
        lanes = latencies.map { Lane(latency: $0 ?? 0) }
        guard let capacity else { return }
        for (lane, latency) in latencies.enumerated() {
            guard let latency, latency <= capacity else { continue }
            lanes[lane].isAligned = true
            self.latency = max(self.latency, latency)
        }
        if leastLatency <= capacity, lanes.contains(where: \.isAligned) { latency = max(latency, leastLatency) }
    }

    /// The delay by which a lane comes to share the time of the other lanes, in frames.
    ///
    /// - Parameter held: latency that is still held, in frames. It counts where it is more than the slowest lane's.
    package func delay(ofLane lane: Int, holding held: Int = 0) -> Int {
        lanes[lane].isAligned ? max(latency, held) - lanes[lane].latency : 0
    }
}
