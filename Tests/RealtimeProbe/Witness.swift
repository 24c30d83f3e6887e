// SPDX-License-Identifier: MIT
import PipeBus

/// The record of the order in which the blocks ran. Plain memory: they run on one thread, and it is read when all are
/// closed.
@safe struct Witness: @unchecked Sendable {
    // @unchecked: the audio thread's while there are ports.
    private struct Memory {
        /// Where the block before each cycle was last, and the sender.
        var cycle = UInt64.max
        var answer = UInt64.max
        var cycles = 0
        /// Number of blocks that ran before the cycle's own block had run.
        var early = 0
        /// Cycles in which the sender ran, and the receiver after it.
        var late = 0
        var answers = 0
    }

    private let memory: UnsafeMutablePointer<Memory>

    init() {
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(to: Memory())
    }

    func noteCycle(_ cycle: AudioCycle) {
        unsafe memory.pointee.cycle = cycle.position
        unsafe memory.pointee.cycles += 1
    }

    func noteBlock(_ cycle: AudioCycle) {
        if unsafe memory.pointee.cycle != cycle.position { unsafe memory.pointee.early += 1 }
    }

    func noteReceiver(_ cycle: AudioCycle) {
        if unsafe memory.pointee.answer == cycle.position { unsafe memory.pointee.late += 1 }
    }

    func noteAnswer(_ cycle: AudioCycle) {
        unsafe memory.pointee.answer = cycle.position
        unsafe memory.pointee.answers += 1
    }

    /// `nil` if all is well.
    var fault: String? {
        let (early, late) = unsafe (memory.pointee.early, memory.pointee.late)
        let (cycles, answers) = unsafe (memory.pointee.cycles, memory.pointee.answers)
        guard cycles > 0, answers > 0 else { return "\(cycles) cycles and \(answers) answers" }
        guard early == 0 else { return "\(early) blocks ran before the one that is first" }
        // Nodes that were hurried through cycles may find another one running than the one they are called for.
        return late <= answers / 100 ? nil : "\(late) of \(answers) times the sender ran before the receiver"
    }
}
