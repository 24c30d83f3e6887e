// SPDX-License-Identifier: MIT
import RealtimeKit

/// When a frame of a ``WriterRing`` was made, the first one of a write.
struct WriterStamp: BitwiseCopyable, Sendable {
    /// Number of frames that were written before.
    var frame = 0
    /// CLOCK_MONOTONIC, in nanoseconds.
    var nanoseconds: UInt64 = 0
    /// Whether the frame leaves exactly at its time, also where the frames before it do not.
    var isExact = false
    /// Number of the graph's frames in all gaps before it, in the sound of an app with a clock of its own.
    var gapFrames = 0

    @_noLocks
    init() {}

    /// How much later it is than the frames since another time say, in nanoseconds.
    @_noLocks
    func lateness(after stamp: WriterStamp, _ sampleRate: Int) -> Int64 {
        Int64(bitPattern: nanoseconds &- stamp.nanoseconds &- Self.duration(frame &- stamp.frame, sampleRate))
    }

    /// Of frames, in nanoseconds.
    @_noLocks
    static func duration(_ frames: Int, _ sampleRate: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: max(frames, 0)) &* 1_000_000_000 / UInt64(truncatingIfNeeded: max(sampleRate, 1))
    }
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

    @_noLocks
    init(_ reader: consuming EventQueue<WriterStamp>.Reader) { self.reader = reader }

    /// The time at which a frame was made; `nil` if nothing says so. Frames are asked for in order.
    @_noLocks
    mutating func time(ofFrame frame: Int, sampleRate: Int) -> UInt64? {
        while true {
            take()
            guard hasNext, next.frame <= frame else { break }
            present = next
            hasPresent = true
            hasNext = false
        }
        guard hasPresent else { return nil }
        return present.nanoseconds &+ WriterStamp.duration(frame &- present.frame, sampleRate)
    }

    /// Whether a frame leaves exactly at its time. It was asked for before.
    @_noLocks
    func isExact(_ frame: Int) -> Bool { hasPresent && present.isExact && present.frame == frame }

    /// Number of frames in all gaps before the frame that was asked for.
    var gapFrames: Int { @_noLocks get { present.gapFrames } }

    /// Number of frames whose times go on from one to the other, up to a jump. The first one was asked for before.
    ///
    /// - Parameters:
    ///   - frame: the first one.
    ///   - count: number of frames that were written from it on.
    ///   - tolerance: of a jump, in nanoseconds.
    @_noLocks
    mutating func steadyFrames(from frame: Int, count: Int, sampleRate: Int, tolerance: Int64) -> Int {
        while hasPresent {
            take()
            guard hasNext, next.frame < frame &+ count else { break }
            let jump = next.lateness(after: present, sampleRate)
            if jump.magnitude >= tolerance.magnitude || next.isExact { return max(next.frame &- frame, 0) }
            present = next
            hasNext = false
        }
        return count
    }

    @_noLocks
    private mutating func take() {
        if !hasNext, let stamp = reader.tryReceive() {
            next = stamp
            hasNext = true
        }
    }
}
