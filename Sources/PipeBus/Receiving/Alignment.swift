// SPDX-License-Identifier: MIT

/// Whether a receiver aligns its sources: it delays each so that sound made at the same time is heard at the same time.
///
/// A receiver that aligns holds one latency, which all aligned sources share.
///
/// | when | the held latency |
/// | --- | --- |
/// | a slower source is connected | grows at once; the other sources are crossfaded within 10 ms to their longer delay, and ``PortStatistics/realignments`` counts that |
/// | the slowest source is disconnected or gets faster | stays, so that one app's leaving cuts no other app's sound |
/// | every aligned source has been silent for as long as its delay | shrinks without a seam |
/// | no other source is connected | shrinks without a seam |
/// | the app calls ``ReceiverPort/realign()`` | shrinks at once |
///
/// Silent means that no sample exceeds 1e-5, which is −100 dB below full scale.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Alignment: Sendable, Hashable {
    /// The greatest age of sound that is aligned, in frames; `nil`: no source is aligned.
    let capacity: Int?

    /// Every source is delayed to the slowest one, so that all sources share one timestamp.
    ///
    /// A source whose sound is older than 48 000 frames is not aligned: it has no delay and a timestamp of its own, and
    /// delays no other source.
    public static let synchronized = synchronized(capacity: 48_000)

    /// ``synchronized`` with another capacity, 0…960 000 frames. A port with any other is refused, with ``PipeBusError``
    /// `invalidArgument`.
    ///
    /// Each channel of a lane that has had a source takes 4 bytes of memory for each frame, rounded up to a power of
    /// two.
    public static func synchronized(capacity: Int) -> Alignment { Alignment(capacity: capacity) }

    /// No source is delayed, and each has a timestamp of its own.
    public static let immediate = Alignment(capacity: nil)
}
