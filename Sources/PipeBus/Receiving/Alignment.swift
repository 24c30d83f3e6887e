// SPDX-License-Identifier: MIT

/// Whether a receiver waits for its slowest source, so that sound made at the same time is heard at the same time.
///
/// A receiver that aligns holds a latency that all aligned sources share. It grows at once when a slower source comes; the
/// others are then crossfaded within 10 ms to their longer delay, and ``PortStatistics/realignments`` counts that. When
/// the slowest source goes or gets faster, the latency stays, so that one app's leaving cuts nobody else's sound. It goes
/// down without a seam in silence: when every aligned source has been silent (no sample above 1e-5, −100 dB below full
/// scale) for as long as it is delayed, or when nothing else is connected. ``ReceiverPort/realign()`` makes it go down at
/// once.
///
/// - Thread: any. A value.
public struct Alignment: Sendable, Hashable {
    /// How old the sound of a source may be to be aligned, in frames; `nil`: nothing is.
    let capacity: Int?

    /// Every source is delayed to the slowest one, so that all share one timestamp. A source whose sound is more than
    /// 48 000 frames old is left out: it comes as it is, with a timestamp of its own, and delays nobody.
    public static let synchronized = synchronized(capacity: 48_000)

    /// The same with another limit, 0…960 000 frames. Each channel of a lane that has had a source takes 4 bytes of memory
    /// for each frame, rounded up to a power of two.
    public static func synchronized(capacity: Int) -> Alignment { Alignment(capacity: capacity) }

    /// Every source comes as soon as it can, with a timestamp of its own.
    public static let immediate = Alignment(capacity: nil)
}
