// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// What the audio thread holds of a receiver. Reached through a plain address, owned by ``ReceiverMemory``.
///
/// In each cycle every lane takes its input, fades it in or out (`ReceiverCore+Input`), delays it so that it shares the
/// time of the others (`ReceiverCore+Delay`), and is measured. Then the lanes are mixed (`ReceiverCore+Mix`) or handed
/// on one by one. Lanes on which nothing changes, which is nearly always all of them, take a path of their own with less to
/// look at (`ReceiverCore+Steady`).
struct ReceiverCore: ~Copyable {
    // Set once, before the audio thread comes.
    let laneCount: Int
    /// Channels of a lane.
    let width: Int
    /// How long a fade takes, in microseconds; 0 for none.
    let fadeMicroseconds: Int
    let board: Cell<LaneBoard>
    let meters: Cell<MeterBoardCore>
    let lanes: Cells<LaneState>
    let gains: Cells<LaneGains>
    /// The last sample that went on, of each channel of each lane.
    let lastSamples: Cells<Float>
    /// For each lane its channels.
    let channels: Cells<ChannelState>
    /// What each channel of each lane is in this cycle.
    let blocks: BlockTable
    /// What each channel of the mix is in this cycle.
    let mix: BlockTable
    /// The longest cycle of zeros. Never written.
    let silence: SampleBlock
    /// A block for each channel of each lane, then one for each channel of the mix, then one to spare.
    let scratch: BlockPool
    /// For each channel of the mix one for each lane.
    let mixInputs: MixInputs
    /// The lanes that these stand for, of each channel of the mix.
    let mixedLanes: Cells<LaneSet>

    // Audio thread only.
    var pages: TripleBuffer<LaneSettingsPage>.Reader
    /// Of the newest page.
    var settings: Cells<LaneSettings>
    /// How old the sound of the aligned lanes is when they hand it on, in frames; see `ReceiverCore+Alignment`.
    var heldLatency = 0
    /// That is more than the sources need, and goes down when they are silent.
    var isHolding = false
    /// The last request to go down at once that was followed.
    var realignmentRequest: UInt64 = 0
    /// Lanes that are linked, or of which something was still on its way, in this cycle.
    var presentLanes = LaneSet()
    /// Lanes of which something will be on its way in the next cycle, linked or not.
    var soundingLanes = LaneSet()
    /// Lanes of which something came in this cycle, on any channel.
    var arrivedLanes = LaneSet()
    /// Lanes on which nothing changes as long as their settings do not and sound comes; see ``pass(_:_:_:)``.
    var steadyLanes = LaneSet()
    /// All present lanes were steady in this cycle, and the same as in the last.
    var isSteady = false
    /// All gains are at rest, and `mixInputs` has them.
    var areGainsAtRest = false
    /// Lanes whose block of this cycle held something else than numbers; see `ReceiverCore+Invalid`.
    var invalidLanes = LaneSet()
    var connectionEpoch = UInt64.max
    /// Where the next cycle begins if none is missed.
    var nextPosition: UInt64 = 0
    var sampleRate = 0
    // These follow from the rate, in frames.
    var fadeLength = 0
    var rampLength = 1
    var crossfadeLength = 1
    var windowLength = 1
    // Of the meters' newest window.
    var windowFrames = 0
    var mixPeak: Float = 0
    var mixEnergy = 0.0

    /// How long a gain takes to another value, and a delay to another length.
    private static var rampsPerSecond: Int { @_noLocks get { 50 } }
    private static var crossfadesPerSecond: Int { @_noLocks get { 100 } }
    private static var windowsPerSecond: Int { @_noLocks get { 20 } }

    /// A block to spare.
    @_noLocks
    @inline(__always)
    func spare(_ frameCount: Int) -> SampleBlock { scratch.block(laneCount * width + width, frameCount) }

    /// Brings all lanes up to a cycle.
    ///
    /// - Parameter connectionEpoch: changes whenever the port is connected after it was not: what was on its way then is long
    ///   past.
    @_noLocks
    mutating func advance(_ inputs: CycleBuffers, _ audio: AudioCycle, connectionEpoch: UInt64) {
        let hasNewSettings = pages.take()
        let isNew = connectionEpoch != self.connectionEpoch && audio.position != nextPosition
        let isOther = hasNewSettings || isNew || audio.missedFrames > 0 || audio.sampleRate != sampleRate
        if hasNewSettings { settings = pages.value.lanes }
        if isOther || isHolding {
            if isOther { steadyLanes = LaneSet() }
            align(isNew: isNew)
        }
        if audio.sampleRate != sampleRate { follow(sampleRate: audio.sampleRate) }
        self.connectionEpoch = connectionEpoch
        nextPosition = audio.position &+ UInt64(truncatingIfNeeded: audio.frameCount)
        beginMetering(frameCount: audio.frameCount)
        if isNew { beginMixMeter() }
        var present = LaneSet()
        var sounding = LaneSet()
        var steady = LaneSet()
        var arrived = LaneSet()
        for lane in 0..<laneCount {
            if steadyLanes.contains(lane), pass(lane, inputs, audio.frameCount) {
                steady.insert(lane)
                continue
            }
            if isNew { forget(lane) }
            let wasSounding = soundingLanes.contains(lane) && !isNew
            guard settings[lane].isLinked || wasSounding else {
                silence(lane)
                continue
            }
            present.insert(lane)
            if isArriving(lane, inputs) { arrived.insert(lane) }
            if advance(lane, inputs, audio) { sounding.insert(lane) }
        }
        isSteady = present.isEmpty && steady == presentLanes
        steadyLanes = steady
        if !invalidLanes.isEmpty { leaveInvalidLanes() }
        if !present.isEmpty { findSteadyLanes(among: present) }
        presentLanes = present.union(steady)
        arrivedLanes = arrived.union(steady)
        soundingLanes = sounding.union(steady)
        if isHolding { measureSilence(frameCount: audio.frameCount) }
    }

    /// Without a buffer the source's app gave nothing in this cycle.
    @_noLocks
    private func isArriving(_ lane: Int, _ inputs: CycleBuffers) -> Bool {
        guard settings[lane].isLinked else { return false }
        return anyInput(ofLane: lane, inputs) != nil
    }

    /// - Returns: whether there may be more to come from it even if it is unlinked.
    @_noLocks
    @inline(never)
    private mutating func advance(_ lane: Int, _ inputs: CycleBuffers, _ audio: AudioCycle) -> Bool {
        let state = lanes.cell(lane)
        let settings = settings.cell(lane)
        let frameCount = audio.frameCount
        // A source that has gone keeps the delay that it had.
        if settings.value.isLinked { state.value.wantedDelay = wantedDelay(settings) }
        if state.value.sourceGeneration != settings.value.sourceGeneration { occupy(lane) }
        state.value.line.memory = settings.value.history
        let isDelayed = state.value.line.memory != nil
        if isDelayed { prepareDelay(state, missedFrames: audio.missedFrames) }
        var isAudible = false
        // A mono source goes through on all channels, so that another one can follow it without a seam.
        for channel in 0..<width {
            var block = takeInput(lane, channel, inputs)
            if !block.isSame(as: silence) { isAudible = true }
            if isDelayed { block = delay(state, lane, channel, block) }
            blocks.set(lane * width + channel, to: block)
        }
        if isDelayed { endDelay(state, isAudible: isAudible, frameCount: frameCount) }
        reportQuiet(lane, settings)
        measure(lane, channelCount: settings.value.channelCount, frameCount: frameCount)
        if settings.value.channelCount < width, wasCrossfading(lane, frameCount) {
            checkOtherChannels(lane, frameCount)
        }
        return isAudible || isDelayed && state.value.silentFrames < state.value.delay
    }

    /// A source has come to a lane: what is left of the last one dies away under it.
    @_noLocks
    private mutating func occupy(_ lane: Int) {
        lanes[lane].sourceGeneration = settings[lane].sourceGeneration
        gains[lane].left.jump(to: settings[lane].left)
        gains[lane].right.jump(to: settings[lane].right)
        lanes[lane].beginSource()
        for channel in lane * width..<(lane + 1) * width { channels[channel].cut(last: lastSamples[channel]) }
        beginMeter(ofLane: lane)
    }

    /// Nothing of a lane is left from the time before the port was connected again.
    @_noLocks
    private mutating func forget(_ lane: Int) {
        lanes[lane] = LaneState()
        gains[lane] = LaneGains()
        for channel in 0..<width { channels[lane * width + channel] = ChannelState() }
    }

    @_noLocks
    @inline(__always)
    private mutating func silence(_ lane: Int) {
        for channel in 0..<width { blocks.set(lane * width + channel, to: silence) }
    }

    @_noLocks
    @inline(never)
    private mutating func follow(sampleRate: Int) {
        self.sampleRate = sampleRate
        meters.value.sampleRate.store(sampleRate, ordering: .relaxed)
        fadeLength = sampleRate * fadeMicroseconds / 1_000_000
        rampLength = max(sampleRate / Self.rampsPerSecond, 1)
        crossfadeLength = max(sampleRate / Self.crossfadesPerSecond, 1)
        windowLength = max(sampleRate / Self.windowsPerSecond, 1)
    }
}
