// SPDX-License-Identifier: MIT
import RealtimeKit

/// When a frame of a ``WriterRing`` was made, the first one of a write.
struct WriterStamp: BitwiseCopyable, Sendable {
    /// Number of frames that were written before.
    var frame = 0
    /// CLOCK_MONOTONIC, in nanoseconds.
    var nanoseconds: UInt64 = 0

    @_noLocks
    init() {}
}

/// The reading end of the times at which frames were made.
///
/// - Thread: audio.
struct WriterStamps: ~Copyable {
    private var reader: EventQueue<WriterStamp>.Reader
    /// The newest stamp of a frame that is not in the future, and the one after it.
    private var present = WriterStamp()
    private var hasPresent = false
    private var next = WriterStamp()
    private var hasNext = false

    init(_ reader: consuming EventQueue<WriterStamp>.Reader) { self.reader = reader }

    /// The time at which a frame was made; `nil` if nothing says so. Frames are asked for in order.
    @_noLocks
    mutating func time(ofFrame frame: Int, sampleRate: Int) -> UInt64? {
        while true {
            if !hasNext, let stamp = reader.tryReceive() {
                next = stamp
                hasNext = true
            }
            guard hasNext, next.frame <= frame else { break }
            present = next
            hasPresent = true
            hasNext = false
        }
        guard hasPresent else { return nil }
        let distance = UInt64(truncatingIfNeeded: max(frame &- present.frame, 0))
        return present.nanoseconds &+ distance &* 1_000_000_000 / UInt64(truncatingIfNeeded: max(sampleRate, 1))
    }
}
