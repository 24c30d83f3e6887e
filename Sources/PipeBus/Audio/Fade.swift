// SPDX-License-Identifier: MIT

/// How a receiver or a filter takes the click out of a source's coming and going: sound is faded in along a raised cosine
/// when it begins. Where it is cut off its last sample dies away; at a receiver it is faded out before this app
/// disconnects it.
///
/// - Thread: any. A value.
public struct Fade: Sendable, Hashable {
    let microseconds: Int

    /// 5 milliseconds.
    public static let standard = Fade(microseconds: 5_000)
    /// Every sample as it comes, from the first one on.
    public static let none = Fade(microseconds: 0)

    /// Another length, 0…100 milliseconds.
    public static func duration(_ duration: Duration) -> Fade {
        // Clamped, so that no nonsense can overflow; what is out of range is refused where the port is made.
        Fade(microseconds: Int(max(min(duration / .microseconds(1), 1e9), -1)))
    }
}
