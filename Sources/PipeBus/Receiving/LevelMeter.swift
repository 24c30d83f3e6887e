// SPDX-License-Identifier: MIT

/// The signal level of a lane or of a mix: peak and RMS. Linear, full scale is 1; values may exceed it.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct LevelMeter: Sendable, Hashable {
    /// The largest sample of all channels since this reader's last reading. For a reading without such a reader, of the
    /// last two seconds.
    public internal(set) var peak: Float = 0
    /// The largest sample of all channels in the last two seconds.
    public internal(set) var heldPeak: Float = 0
    /// RMS over a sliding window of 300 ms, over all channels. A full-scale sine has 0.707.
    ///
    /// The window moves in steps of about 50 ms, and may be longer by a step.
    public internal(set) var rms: Float = 0

    /// Whether invalid samples came in the last two seconds: NaN, infinity, and some of 9e17 and more.
    ///
    /// Their blocks are silenced and do not count in the peak or the RMS; see ``PortStatistics/invalidBlocks``.
    public internal(set) var hasInvalidSamples = false

    /// Whether a sample exceeded full scale in the last two seconds. A device or a file of integers would clip it.
    public var isOver: Bool { heldPeak > 1 }

    var integratedMicroseconds: UInt64 = 0

    @_noLocks
    init() {}

    static var holdMicroseconds: UInt64 { @_noLocks get { 2_000_000 } }
    static var integrationMicroseconds: UInt64 { @_noLocks get { 300_000 } }
}
