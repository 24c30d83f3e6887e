// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The audio thread's state of a receiver. Reached through a plain address, owned by ``ReceiverMemory``.
///
/// In each cycle every lane goes through these steps:
///
/// 1. fade its input in or out (`ReceiverCore+Fades`);
/// 2. delay it to the time of the other aligned lanes (`ReceiverCore+Delay`);
/// 3. measure it (`ReceiverCore+Meters`).
///
/// Then the lanes are mixed (`ReceiverCore+Mix`) or handed over one by one. Nearly always nothing changes on any lane.
/// Such lanes take a shorter path (`ReceiverCore+Steady`).
struct ReceiverCore: ~Copyable {
    // Set once, before the audio thread starts.
    let laneCount: Int
    /// Channels of a lane.
    let width: Int
    /// The length of a fade, in microseconds; 0 for none.
    let fadeMicroseconds: Int
    let board: Cell<LaneBoard>
    let meters: Cell<MeterBoardCore>
    let lanes: Cells<AudioLane>
    let gains: Cells<LaneGains>
    /// The last output sample of each channel of each lane.
    let lastSamples: Cells<Float>
    /// The fades of each channel of each lane.
    let fades: Cells<ChannelFade>
    /// The block of each channel of each lane in this cycle.
    let blocks: BlockTable
    /// The block of each channel of the mix in this cycle.
    let mix: BlockTable
    /// A block of zeros of the longest cycle. Never written.
    let silence: SampleBlock
    /// A block for each channel of each lane, then one for each channel of the mix, then a spare one.
    let scratch: BlockPool
    /// For each channel of the mix the inputs, one for each lane.
    let mixInputs: MixInputs
    /// For each channel of the mix the lanes of its inputs.
    let mixedLanes: Cells<LaneSet>
    /// The streams to other threads.
    let streams: StreamSlots

    // Audio thread only.
    var pages: TripleBuffer<LaneSettingsPage>.Reader
    /// The settings of the newest page.
    var settings: Cells<LaneSettings>
    /// The age of the aligned lanes' sound at their output, in frames; see `ReceiverCore+Alignment`.
    var heldLatency = 0
    /// Whether that is more than the sources need. Then it shrinks in silence.
    var isHolding = false
    /// The last request to shrink at once that was carried out.
    var realignmentRequest: UInt64 = 0
    /// Lanes whose source is heard, or whose sound was still coming out, in this cycle.
    var presentLanes = LaneSet()
    /// Lanes whose sound will still be coming out in the next cycle, with a source or without.
    var soundingLanes = LaneSet()
    /// Lanes with input in this cycle, on any channel.
    var arrivedLanes = LaneSet()
    /// Lanes whose source, once it had given sound, gave nothing in this cycle.
    var missingLanes = LaneSet()
    /// Lanes whose source gives sound again in this cycle, after `AudioLane.missingFrames` without.
    var resumedLanes = LaneSet()
    /// Lanes on which nothing changes while their settings stay and sound comes; see ``pass(_:_:_:)``.
    var steadyLanes = LaneSet()
    /// Whether all present lanes were steady in this cycle, and equal to those of the last.
    var isSteady = false
    /// Whether all gains are at rest and in `mixInputs`.
    var areGainsAtRest = false
    /// Lanes with invalid samples in this cycle's block; see `ReceiverCore+Invalid`.
    var invalidLanes = LaneSet()
    var connectionEpoch = UInt64.max
    /// The position of the next cycle if none is missed.
    var nextPosition: UInt64 = 0
    var sampleRate = 0
    /// Number of frames between the last cycle and this one; negative if PipeWire gives frames once more.
    var skippedFrames = 0
    // Computed from the rate, in frames.
    var fadeLength = 0
    var rampLength = 1
    var crossfadeLength = 1
    var windowLength = 1
    // The meters' newest window.
    var windowFrames = 0
    var mixPeak: Float = 0
    var mixEnergy = 0.0

    /// The number of ramps of a gain, or crossfades of a delay, in a second.
    private static var rampsPerSecond: Int { @_noLocks get { 50 } }
    private static var crossfadesPerSecond: Int { @_noLocks get { 100 } }
    private static var windowsPerSecond: Int { @_noLocks get { 20 } }

    /// A spare block.
    @_noLocks
    @inline(__always)
    func spare(_ frameCount: Int) -> SampleBlock { scratch.block(laneCount * width + width, frameCount) }

    /// Processes all lanes for a cycle.
    ///
    /// - Parameters:
    ///   - connectionEpoch: changes whenever the port is connected after a time without connections.
    ///   - isAfterPause: whether time passed that the port did not miss. All state of an epoch before it is void.
    @_noLocks
    mutating func advance(_ inputs: CycleBuffers, _ audio: AudioCycle, connectionEpoch: UInt64, isAfterPause: Bool) {
        let hasNewSettings = pages.take()
        let isNew = connectionEpoch != self.connectionEpoch && isAfterPause
        skippedFrames = isNew ? 0 : framesSkipped(before: audio)
        let isOther = hasNewSettings || isNew || skippedFrames != 0
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
        var missing = LaneSet()
        resumedLanes = LaneSet()
        for lane in 0..<laneCount {
            if steadyLanes.contains(lane), pass(lane, inputs, audio.frameCount) {
                steady.insert(lane)
                continue
            }
            if isNew { forget(lane) }
            var wasSounding = soundingLanes.contains(lane) && !isNew
            if wasSounding, settings[lane].source == 0 {
                // The sound of the port's last node: nothing is known of its source any more.
                forget(lane)
                wasSounding = false
            }
            guard settings[lane].isHeard || wasSounding else {
                silence(lane)
                continue
            }
            present.insert(lane)
            if advance(lane, inputs, audio) { sounding.insert(lane) }
            if isArriving(lane, inputs) {
                arrived.insert(lane)
                noteArrival(lane)
            } else if countMissing(lane, audio.frameCount) {
                missing.insert(lane)
            }
        }
        isSteady = present.isEmpty && steady == presentLanes
        steadyLanes = steady
        if !invalidLanes.isEmpty { markInvalidLanesUnsteady() }
        if !present.isEmpty { findSteadyLanes(among: present) }
        presentLanes = present.union(steady)
        arrivedLanes = arrived.union(steady)
        missingLanes = missing
        soundingLanes = sounding.union(fadeLength > 0 ? steady : ringingLanes(of: steady))
        if isHolding { measureSilence(frameCount: audio.frameCount) }
    }

    /// The number of frames between the last cycle and this one: missed ones, and the time over which another clock went
    /// on. Negative for a position that comes again. Sound of another rate is as good as none.
    @_noLocks
    @inline(__always)
    private func framesSkipped(before audio: AudioCycle) -> Int {
        if audio.sampleRate != sampleRate { return .max }
        let step = Int(truncatingIfNeeded: audio.position &- nextPosition)
        return max(min(step, 1 << 40), -AudioCycle.maximumFrameCount)
    }

    /// Whether input came on a lane. Without a buffer the source's app gave nothing in this cycle.
    @_noLocks
    private func isArriving(_ lane: Int, _ inputs: CycleBuffers) -> Bool {
        guard settings[lane].isHeard else { return false }
        return anyInput(ofLane: lane, inputs) != nil
    }

    /// Notes that a source gave sound in this cycle, perhaps again.
    @_noLocks
    private mutating func noteArrival(_ lane: Int) {
        let state = lanes.cell(lane)
        if state.value.hasArrived, missingLanes.contains(lane) { resumedLanes.insert(lane) }
        state.value.hasArrived = true
    }

    /// Counts a cycle in which a connected source gave nothing, because its app missed it.
    ///
    /// Cycles before the first sound of a source do not count.
    ///
    /// - Returns: whether it counts.
    @_noLocks
    private func countMissing(_ lane: Int, _ frameCount: Int) -> Bool {
        let state = lanes.cell(lane)
        guard settings[lane].isHeard, state.value.hasArrived else { return false }
        let before = missingLanes.contains(lane) ? state.value.missingFrames : 0
        state.value.missingFrames = before &+ frameCount
        return true
    }

    /// Number of frames before this cycle in which a source gave nothing that goes on with this cycle; 0 for the others.
    @_noLocks
    func missedFrames(ofLane lane: Int) -> Int { resumedLanes.contains(lane) ? lanes[lane].missingFrames : 0 }

    /// The same of the source that missed most.
    var mostMissedFrames: Int {
        @_noLocks get {
            var most = 0
            for lane in resumedLanes { most = max(most, lanes[lane].missingFrames) }
            return most
        }
    }

    /// - Returns: whether more sound may come out of the lane even if it is unlinked.
    @_noLocks
    @inline(never)
    private mutating func advance(_ lane: Int, _ inputs: CycleBuffers, _ audio: AudioCycle) -> Bool {
        let state = lanes.cell(lane)
        let settings = settings.cell(lane)
        let frameCount = audio.frameCount
        // A disconnected source keeps its delay.
        if settings.value.isHeard { state.value.targetDelay = targetDelay(settings) }
        if state.value.sourceGeneration != settings.value.sourceGeneration { startSource(lane) }
        state.value.hold.follow(isHeld: settings.value.isHeld, length: fadeLength)
        state.value.line.memory = settings.value.history
        let isDelayed = state.value.line.memory != nil
        if isDelayed { prepareDelay(state, skippedFrames) }
        var isAudible = false
        // A mono source is processed on all channels, so that another source can follow it without a seam.
        for channel in 0..<width {
            var block = takeInput(lane, channel, inputs)
            if !block.isSame(as: silence) { isAudible = true }
            if isDelayed { block = delay(state, lane, channel, block) }
            if !state.value.hold.isOpen(length: fadeLength) { block = hold(state, lane, channel, block) }
            blocks.set(lane * width + channel, to: block)
        }
        if isDelayed { endDelay(state, isAudible: isAudible, frameCount: frameCount) }
        state.value.hold.advance(by: frameCount, length: fadeLength)
        reportFadedOut(lane, settings)
        measure(lane, channelCount: settings.value.channelCount, frameCount: frameCount)
        if settings.value.channelCount < width, wasCrossfading(lane, frameCount) {
            checkOtherChannels(lane, frameCount)
        }
        guard isRinging(lane) else { return false }
        return isAudible || isDelayed && state.value.framesWithoutInput < state.value.delay
    }

    /// Whether sound may come out of a lane whose source is unlinked: its fade, and what is in the delay line.
    @_noLocks
    private func isRinging(_ lane: Int) -> Bool {
        if fadeLength > 0 { return true }
        let state = lanes.cell(lane)
        guard state.value.line.memory != nil else { return false }
        return state.value.delay > 0 || state.value.crossfade.isRunning(length: crossfadeLength)
    }

    @_noLocks
    private func ringingLanes(of lanes: LaneSet) -> LaneSet {
        var ringing = LaneSet()
        for lane in lanes where isRinging(lane) { ringing.insert(lane) }
        return ringing
    }

    /// Starts a new source on a lane. The rest of the previous source fades out under it.
    @_noLocks
    private mutating func startSource(_ lane: Int) {
        lanes[lane].sourceGeneration = settings[lane].sourceGeneration
        gains.cell(lane).value.left.jump(to: settings[lane].left)
        gains.cell(lane).value.right.jump(to: settings[lane].right)
        lanes.cell(lane).value.beginSource()
        lanes.cell(lane).value.hold.begin(isHeld: settings[lane].isHeld)
        for channel in lane * width..<(lane + 1) * width { fades.cell(channel).value.cut(last: lastSamples[channel]) }
        beginMeter(ofLane: lane)
    }

    /// Resets a lane after a time without a connection of the port.
    @_noLocks
    private mutating func forget(_ lane: Int) {
        lanes[lane] = AudioLane()
        gains[lane] = LaneGains()
        for channel in 0..<width { fades[lane * width + channel] = ChannelFade() }
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
