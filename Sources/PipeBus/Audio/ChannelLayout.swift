// SPDX-License-Identifier: MIT

/// How many channels a port has, and which is which.
///
/// - Thread: any. A value.
public struct ChannelLayout: Sendable, Hashable {
    /// 1…``maximumCount`` for a layout that a port can have.
    public let count: Int

    /// One channel, `MONO`.
    public static let mono = ChannelLayout(count: 1)
    /// Left and right, `FL` and `FR`.
    public static let stereo = ChannelLayout(count: 2)

    /// Channels without a place in a room, `AUX0`, `AUX1` and so on; one and two are ``mono`` and ``stereo``.
    ///
    /// A count that no port can have is refused where the port is made.
    public static func channels(_ count: Int) -> ChannelLayout { ChannelLayout(count: count) }

    /// The most channels a port can have.
    public static let maximumCount = 64

    /// PipeWire's `audio.channel` of each channel.
    public var positions: [String] {
        switch count {
        case 1: ["MONO"]
        case 2: ["FL", "FR"]
        default: (0..<max(count, 0)).map { "AUX\($0)" }
        }
    }
}
