// SPDX-License-Identifier: MIT

/// The number of a port's channels, and their positions.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ChannelLayout: Sendable, Hashable {
    /// The number of channels: 1…``maximumCount`` for a layout that a port can have.
    public let count: Int

    /// One channel, `MONO`.
    public static let mono = ChannelLayout(count: 1)
    /// Left and right, `FL` and `FR`.
    public static let stereo = ChannelLayout(count: 2)

    /// Channels without a position in a room, `AUX0`, `AUX1` and so on; one and two are ``mono`` and ``stereo``.
    ///
    /// A count out of range is refused when a port is made with it.
    public static func channels(_ count: Int) -> ChannelLayout { ChannelLayout(count: count) }

    /// The largest number of channels of a port.
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
