// SPDX-License-Identifier: MIT
import Synchronization

/// What an input of a ``MultiStream`` and other threads tell the output's thread.
///
/// - Thread: any.
/// - Realtime: safe.
struct MultiStreamShared: ~Copyable {
    /// The gains of both sides, in one word, so that they change together.
    private let gains = Atomic<UInt64>(Self.word(1, 1))
    private let idle = Atomic<Bool>(false)
    private let longest = Atomic<Int>(0)

    @_noLocks
    init() {}

    @_noLocks
    func setGains(left: Float, right: Float) { gains.store(Self.word(left, right), ordering: .relaxed) }

    /// Of the left side, or of all channels if there are not two; and of the right side.
    var left: Float { @_noLocks get { Float(bitPattern: UInt32(truncatingIfNeeded: gains.load(ordering: .relaxed))) } }
    var right: Float {
        @_noLocks get { Float(bitPattern: UInt32(truncatingIfNeeded: gains.load(ordering: .relaxed) >> 32)) }
    }

    @_noLocks
    private static func word(_ left: Float, _ right: Float) -> UInt64 {
        UInt64(left.bitPattern) | UInt64(right.bitPattern) << 32
    }

    /// Whether the input says that nothing comes.
    // Released after the frames that were written before, and acquired before these are looked for.
    var isIdle: Bool { @_noLocks get { idle.load(ordering: .acquiring) } }
    @_noLocks
    func setIdle(_ isIdle: Bool) { idle.store(isIdle, ordering: .releasing) }

    /// The longest block that the input has written since it was idle last, in frames.
    var longestBlock: Int { @_noLocks get { longest.load(ordering: .relaxed) } }
    /// - Thread: the input's.
    @_noLocks
    func noteBlock(_ frames: Int) {
        if frames > longest.load(ordering: .relaxed) { longest.store(frames, ordering: .relaxed) }
    }
    /// - Thread: the input's.
    @_noLocks
    func forgetBlocks() { longest.store(0, ordering: .relaxed) }
}
