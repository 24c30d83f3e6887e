// SPDX-License-Identifier: MIT

/// How loud something is, linear, full scale 1; it can be more.
///
/// - Thread: any. A value.
public struct LevelMeter: Sendable, Hashable {
    /// The largest sample since this reader's last reading, of all channels; without one, in the last two seconds.
    public internal(set) var peak: Float = 0
    /// The largest sample of the last two seconds.
    public internal(set) var heldPeak: Float = 0
    /// The root of the mean square of the last 0.3 seconds, over all channels: the loudness a VU meter shows. A full-scale
    /// sine has 0.707.
    public internal(set) var rms: Float = 0

    /// Something else than numbers came in the last two seconds, or numbers of 9e17 and more. The blocks that held it are
    /// silent, and no level counts them; see ``PortStatistics/invalidBlocks``.
    public internal(set) var hasInvalidSamples = false

    /// Louder than full scale in the last two seconds: a device or a file of integers would clip it.
    public var isOver: Bool { heldPeak > 1 }

    var integratedMicroseconds: UInt64 = 0

    @_noLocks
    init() {}

    static var holdMicroseconds: UInt64 { @_noLocks get { 2_000_000 } }
    static var integrationMicroseconds: UInt64 { @_noLocks get { 300_000 } }
}
