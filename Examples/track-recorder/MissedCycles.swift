// SPDX-License-Identifier: MIT
import PipeBus

/// Finds the cycles in which a connected source gave nothing, because its app missed them (xruns).
///
/// They are silent in the file, and are counted when the source goes on. Cycles before the first sound of a source and
/// after its last one do not count.
///
/// It is part of the recording's state, so it runs on the audio thread. All memory is allocated at the start.
@safe struct MissedCycles: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it, and nothing else points to the memory.
    private struct Lane {
        /// The source's stream, once it gave sound; 0 before.
        var stream: UInt64 = 0
        /// Number of missed frames since the last frames that came.
        var frames = 0
    }

    private let lanes: UnsafeMutablePointer<Lane>
    private let laneCount: Int

    init(laneCount: Int) {
        self.laneCount = laneCount
        unsafe lanes = .allocate(capacity: laneCount)
        unsafe lanes.initialize(repeating: Lane(), count: laneCount)
    }

    deinit { unsafe lanes.deallocate() }

    /// Takes note of a source's cycle.
    ///
    /// - Returns: the number of missed frames before this cycle, if the source goes on; 0 otherwise.
    @_noLocks
    mutating func note(_ source: ReceivedSource, lane index: Int, frameCount: Int) -> Int {
        guard index >= 0, index < laneCount else { return 0 }
        let lane = unsafe lanes + index
        if unsafe lane.pointee.stream != source.sourceGeneration {
            unsafe lane.pointee.stream = source.isMissing ? 0 : source.sourceGeneration
            unsafe lane.pointee.frames = 0
            return 0
        }
        if source.isMissing {
            unsafe lane.pointee.frames &+= frameCount
            return 0
        }
        let missing = unsafe lane.pointee.frames
        unsafe lane.pointee.frames = 0
        return missing
    }
}
