// SPDX-License-Identifier: MIT
import RealtimeKit

/// The settings of one lane, as the control side publishes them to the audio thread. A plain value: it is copied whole,
/// and owns nothing.
struct LaneSettings {
    /// A source is linked to the lane now.
    var isLinked = false
    /// The source is about to be unlinked by us: it is to be faded out first.
    var isLeaving = false
    /// Grows with every source that comes to the lane; 0 before the first. It stays when the source goes: what is on its
    /// way is still its own.
    var sourceGeneration: UInt64 = 0
    /// The source's serial in the graph.
    var source: UInt64 = 0
    /// 1 for a mono source, on however many channels it lies; the lane's width otherwise.
    var channelCount = 0
    /// What the app calls it by.
    var tag: UInt64 = 0
    var isShared = false
    var isLatencyUncertain = false
    /// Delayed so far that it shares the time of all others that are.
    var isAligned = false
    /// How old the sound is when it arrives, in frames. How long it waits here is the audio thread's to decide.
    var latency = 0
    /// What the sound is multiplied by for the left and the right side of a mix. Without sides, the left one counts.
    var left: Float = 1
    var right: Float = 1
    /// Past samples; `nil` where nothing is delayed.
    var history: DelayMemory?
}

/// The settings of all lanes, as the control side publishes them to the audio thread.
struct LaneSettingsPage {
    /// Of each lane. Memory of ``LaneBoard``, which the page is the address of.
    let lanes: Cells<LaneSettings>
    var alignment = AlignmentSettings()

    init(lanes: Cells<LaneSettings>) { self.lanes = lanes }
}

/// What the control side asks of the alignment of all lanes together.
struct AlignmentSettings {
    /// How old the sound of the slowest aligned source is, in frames: the least that all of them can share.
    var latency = 0
    /// Grows with every request to go back to that at once.
    var request: UInt64 = 0

    @_noLocks
    init(latency: Int = 0, request: UInt64 = 0) {
        self.latency = latency
        self.request = request
    }
}
