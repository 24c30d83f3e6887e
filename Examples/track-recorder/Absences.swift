// SPDX-License-Identifier: MIT
import PipeBus

/// Cycles in which a source was connected and gave nothing, because its app missed them: they are silent in the file, and
/// are counted when the source goes on. What is before its first sound and behind its last one is no absence.
///
/// Part of the recording's state, so it runs on the audio thread. All memory is there from the start.
@safe struct Absences: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread has it, and nothing else leads to the memory.
    private struct Lane {
        /// The source's stream, once something came of it; 0 before.
        var stream: UInt64 = 0
        /// Frames that did not come since the last ones that did.
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
    /// - Returns: frames that were missing before it, if they are over now.
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
