// SPDX-License-Identifier: MIT

/// A time of an input of a ``MultiStream`` that is later than its frames so far say: a pause of the input, or a thread that was held up.
/// Pure.
///
/// The next times tell. After a pause they go on from the jump; a thread that was held up makes up for it, and they come back.
///
/// - Thread: the output's.
/// - Realtime: safe.
struct MultiStreamJump: BitwiseCopyable, Sendable {
    /// Whether there is one whose frames are not given yet.
    private(set) var isPending = false
    /// Whether the times since then tell what it is.
    private(set) var isDecided = false
    /// Whether it is a pause, as far as is known.
    private(set) var isPause = true
    /// The first time after the jump.
    private(set) var first = WriterStamp()
    /// The last one that was noted.
    private(set) var last = WriterStamp()
    private let sampleRate: Int

    /// The shortest jump, in nanoseconds.
    static var shortest: Int64 { @_noLocks get { 20_000_000 } }

    @_noLocks
    init(sampleRate: Int) { self.sampleRate = sampleRate }

    @_noLocks
    mutating func begin(at stamp: WriterStamp) {
        (isPending, isDecided, isPause) = (true, false, true)
        (first, last) = (stamp, stamp)
    }

    @_noLocks
    mutating func end() { isPending = false }

    /// Takes note of the next time.
    ///
    /// - Returns: whether it is of this jump. If not, it is another jump.
    @_noLocks
    mutating func note(_ stamp: WriterStamp) -> Bool {
        let lateness = stamp.lateness(after: first, sampleRate)
        if lateness >= Self.shortest {
            isDecided = true
            return false
        }
        last = stamp
        guard !isDecided else { return true }
        isPause = lateness > -Self.shortest / 2
        isDecided = !isPause || stamp.frame &- first.frame >= sampleRate / 20
        return true
    }
}
