// SPDX-License-Identifier: MIT

/// The number of frames that sound waits because its block has a fixed size. Pure.
///
/// The *phase* is the number of frames of a block that wait when a cycle begins. In cycles of q frames the phases of blocks of n
/// frames differ by multiples of g, the greatest common divisor of both. So at most n − g + phase % g frames wait at the end of a
/// cycle, and that is the least delay with which no cycle lacks sound. From phase 0 it is n − g: none where q is a multiple of n.
///
/// The delay grows at once when the cycles' length changes. It shrinks when they have had one length for a second, so that a
/// length that changes in every cycle moves no sound.
struct BlockDelay: Sendable, Equatable {
    let blockSize: Int
    /// The present delay, in frames, 0..<``blockSize``.
    private(set) var frames: Int
    /// The greatest common divisor of the block's size and the cycle's length.
    private(set) var divisor: Int
    /// The cycle's length.
    private var quantum: Int
    /// Number of frames since the length changed.
    private var steadyFrames = 0

    /// The length of cycles before the first one. It is PipeWire's own default.
    static var usualQuantum: Int { @_noLocks get { 1024 } }

    @_noLocks
    init(blockSize: Int) {
        self.blockSize = blockSize
        quantum = Self.usualQuantum
        divisor = Self.greatestCommonDivisor(blockSize, Self.usualQuantum)
        frames = blockSize - divisor
    }

    /// The least delay for cycles of the present length.
    var least: Int { @_noLocks get { blockSize - divisor } }

    /// Takes note of a cycle's length, 1 or more.
    @_noLocks
    mutating func note(quantum: Int) {
        if quantum == self.quantum {
            steadyFrames = min(steadyFrames + quantum, 1 << 40)
        } else {
            self.quantum = quantum
            divisor = Self.greatestCommonDivisor(blockSize, quantum)
            steadyFrames = quantum
        }
    }

    /// Begins with the least delay, at phase 0.
    @_noLocks
    mutating func restart() { frames = least }

    /// Raises the delay to the least one for a phase.
    ///
    /// - Returns: the number of frames by which it has grown.
    @_noLocks
    mutating func grow(phase: Int) -> Int {
        let growth = max(least + phase % divisor - frames, 0)
        frames += growth
        return growth
    }

    /// Lowers the delay to the least one, if it is larger and the length has lasted.
    ///
    /// - Returns: whether it did.
    @_noLocks
    mutating func shrink(sampleRate: Int) -> Bool {
        guard frames > least, steadyFrames >= sampleRate else { return false }
        frames = least
        return true
    }

    @_noLocks
    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}
