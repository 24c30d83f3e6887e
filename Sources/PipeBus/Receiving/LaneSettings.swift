// SPDX-License-Identifier: MIT
import RealtimeKit

/// The settings of one lane, as the control side publishes them to the audio thread.
///
/// A plain value: it is copied whole, and owns nothing.
struct LaneSettings {
    /// Whether a source is linked to the lane, and is not blocked.
    var isHeard = false
    /// Whether this app is about to unlink the source, which is faded out first.
    var isLeaving = false
    /// Whether the source is silent until another one leaves in exchange for it, or after it was exchanged itself. Its sound is
    /// taken in and delayed meanwhile.
    var isHeld = false
    /// Incremented with every source that is connected to the lane; 0 before the first. It stays when the source is
    /// disconnected, because the rest of its sound is still the source's.
    var sourceGeneration: UInt64 = 0
    /// The source's serial in the graph.
    var source: UInt64 = 0
    /// 1 for a mono source, on however many channels it is linked; the lane's width otherwise.
    var channelCount = 0
    /// A bit for each channel that is linked. PipeWire 0.3.65 gives silence on one that is not, if it once had two links.
    var linkedChannels: UInt64 = 0
    /// The app's number for the source.
    var tag: UInt64 = 0
    var isShared = false
    var isLatencyUncertain = false
    /// Whether the source shares the time of the other aligned sources.
    var isAligned = false
    /// The age of the sound on arrival, in frames. The audio thread decides on the delay.
    var latency = 0
    /// The gains for the left and the right side of a mix. A mix without sides uses the left one.
    var left: Float = 1
    var right: Float = 1
    /// The delay line's memory; `nil` where no source is delayed.
    var history: DelayMemory?

    /// Whether a channel of the lane is linked.
    @_noLocks
    @inline(__always)
    func isLinked(_ channel: Int) -> Bool { linkedChannels >> UInt64(truncatingIfNeeded: channel) & 1 != 0 }
}

/// The settings of all lanes, as the control side publishes them to the audio thread.
struct LaneSettingsPage {
    /// The settings of each lane. The memory is of ``LaneBoard``, to which the page points.
    let lanes: Cells<LaneSettings>
    var alignment = AlignmentSettings()

    init(lanes: Cells<LaneSettings>) { self.lanes = lanes }
}

/// The control side's settings for the alignment of all lanes together.
struct AlignmentSettings {
    /// The age of the slowest aligned source's sound, in frames: the least that all aligned sources can share.
    var latency = 0
    /// Incremented with every request to shrink to that latency at once.
    var request: UInt64 = 0

    @_noLocks
    init(latency: Int = 0, request: UInt64 = 0) {
        self.latency = latency
        self.request = request
    }
}
