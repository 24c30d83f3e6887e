// SPDX-License-Identifier: MIT

/// Whether a receiver waits for its slowest source, so that sound made at the same time is heard at the same time.
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
