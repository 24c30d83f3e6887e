// SPDX-License-Identifier: MIT
import CSndFile

/// Where a channel is played. Others than those with a name here have libsndfile's numbers.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SoundChannel: RawRepresentable, Sendable, Hashable {
    /// libsndfile's number of the place (`SF_CHANNEL_MAP_LEFT` and so on).
    public let rawValue: Int32

    /// The place that libsndfile numbers so.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    private init(_ number: Int) { rawValue = Int32(number) }

    /// The only channel.
    public static let mono = SoundChannel(SF_CHANNEL_MAP_MONO)
    /// The left one of a pair.
    public static let left = SoundChannel(SF_CHANNEL_MAP_LEFT)
    /// The right one of a pair.
    public static let right = SoundChannel(SF_CHANNEL_MAP_RIGHT)
    /// In the middle.
    public static let center = SoundChannel(SF_CHANNEL_MAP_CENTER)
    /// In front, left.
    public static let frontLeft = SoundChannel(SF_CHANNEL_MAP_FRONT_LEFT)
    /// In front, right.
    public static let frontRight = SoundChannel(SF_CHANNEL_MAP_FRONT_RIGHT)
    /// In front, in the middle.
    public static let frontCenter = SoundChannel(SF_CHANNEL_MAP_FRONT_CENTER)
    /// Behind, in the middle.
    public static let rearCenter = SoundChannel(SF_CHANNEL_MAP_REAR_CENTER)
    /// Behind, left.
    public static let rearLeft = SoundChannel(SF_CHANNEL_MAP_REAR_LEFT)
    /// Behind, right.
    public static let rearRight = SoundChannel(SF_CHANNEL_MAP_REAR_RIGHT)
    /// Low-frequency effects.
    public static let lowFrequency = SoundChannel(SF_CHANNEL_MAP_LFE)
    /// At the left side.
    public static let sideLeft = SoundChannel(SF_CHANNEL_MAP_SIDE_LEFT)
    /// At the right side.
    public static let sideRight = SoundChannel(SF_CHANNEL_MAP_SIDE_RIGHT)
}
