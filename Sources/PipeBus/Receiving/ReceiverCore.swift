// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime
import Synchronization

/// What the audio thread holds of a receiver. Reached through a plain pointer, owned by ``ReceiverMemory``.
///
/// In each cycle every lane takes its input, fades it in or out (`ReceiverCore+Input`), delays it so that it shares the
/// time of the others (`ReceiverCore+Delay`), and is measured. Then the lanes are mixed (`ReceiverCore+Mix`) or handed
/// on one by one. Lanes on which nothing changes, which is nearly always all of them, take a way of their own with less to
/// look at (`ReceiverCore+Steady`).
@unsafe struct ReceiverCore: ~Copyable {
    // Set once, before the audio thread comes.
    let laneCount: Int
    /// Channels of a lane.
    let width: Int
    /// How long a fade takes, in microseconds; 0 for none.
    let fadeMicroseconds: Int
    /// Frames that a delay line holds; 0 where nothing is delayed. A power of two.
    let historyLength: Int
    let board: UnsafePointer<LaneBoard>
    let meters: UnsafePointer<MeterBoardCore>
    let lanes: UnsafeMutablePointer<LaneState>
    let gains: UnsafeMutablePointer<LaneGains>
    /// The last sample that went on, of each channel of each lane.
    let lastSamples: UnsafeMutablePointer<Float>
    /// For each lane its channels.
    let channels: UnsafeMutablePointer<ChannelState>
    /// What each channel of each lane is in this cycle.
    let blocks: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// What each channel of the mix is in this cycle.
    let mix: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// One cycle of zeros. Never written.
    let silence: UnsafeMutablePointer<Float>
    /// One cycle for each channel of each lane, then one for each channel of the mix, then one to spare.
    let scratch: UnsafeMutablePointer<Float>
    /// For each channel of the mix one for each lane.
    let mixInputs: UnsafeMutablePointer<cak_input>
    /// The lanes that these stand for, of each channel of the mix.
    let mixedLanes: UnsafeMutablePointer<UInt64>

    // Audio thread only.
    var slot: Int
    /// How old the sound of the aligned lanes is when they hand it on, in frames; see `ReceiverCore+Alignment`.
    var heldLatency = 0
    /// That is more than the sources need, and goes down when they are silent.
    var isHolding = false
    /// The last request to go down at once that was followed.
    var realignmentRequest: UInt64 = 0
    /// Lanes that are linked, or of which something was still on its way, in this cycle.
    var presentLanes: UInt64 = 0
    /// Lanes of which something will be on its way in the next cycle, linked or not.
    var soundingLanes: UInt64 = 0
    /// Lanes of which something came in this cycle, on any channel.
    var arrivedLanes: UInt64 = 0
    /// Lanes on which nothing changes as long as their settings do not and sound comes; see ``pass(_:_:_:)``.
    var steadyLanes: UInt64 = 0
    /// All present lanes were steady in this cycle, and the same as in the last.
    var isSteady = false
    /// All gains are at rest, and `mixInputs` has them.
    var areGainsAtRest = false
    /// Lanes whose block of this cycle held something else than numbers; see `ReceiverCore+Invalid`.
    var invalidLanes: UInt64 = 0
    var episode = UInt64.max
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

    var settings: UnsafePointer<LaneSettings> {
        @_noLocks @inline(__always) get { unsafe board.pointee.settings(slot) }
    }

    /// The spare cycle.
    var spare: UnsafeMutablePointer<Float> {
        @_noLocks @inline(__always) get {
            unsafe scratch + (laneCount * width + width) * AudioCycle.maximumFrameCount
        }
    }

    /// Brings all lanes up to a cycle.
    ///
    /// - Parameter episode: changes whenever the port is connected after it was not: what was on its way then is long
    ///   past.
    @_noLocks
    mutating func advance(_ cycle: UnsafePointer<GraphCycle>, _ audio: AudioCycle, episode: UInt64) {
        let newest = unsafe board.pointee.take(slot)
        let isNew = unsafe episode != self.episode && audio.position != nextPosition
        let isOther = unsafe newest != slot || isNew || audio.missedFrames > 0 || audio.sampleRate != sampleRate
        unsafe slot = newest
        if unsafe isOther || isHolding {
            if isOther { unsafe steadyLanes = 0 }
            unsafe align(isNew: isNew)
        }
        if unsafe audio.sampleRate != sampleRate { unsafe follow(sampleRate: audio.sampleRate) }
        unsafe self.episode = episode
        unsafe nextPosition = audio.position &+ UInt64(truncatingIfNeeded: audio.frameCount)
        unsafe beginMetering(frameCount: audio.frameCount)
        if isNew { unsafe beginMixMeter() }
        var present: UInt64 = 0
        var sounding: UInt64 = 0
        var steady: UInt64 = 0
        var arrived: UInt64 = 0
        for lane in unsafe 0..<laneCount {
            let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: lane)
            if unsafe steadyLanes & bit != 0, unsafe pass(lane, cycle, audio.frameCount) {
                steady |= bit
                continue
            }
            if isNew { unsafe forget(lane) }
            let settings = unsafe settings + lane
            let wasSounding = unsafe soundingLanes & bit != 0 && !isNew
            guard unsafe settings.pointee.isLinked || wasSounding else {
                unsafe hush(lane)
                continue
            }
            present |= bit
            if unsafe isArriving(lane, settings, cycle) { arrived |= bit }
            if unsafe advance(lane, settings, cycle, audio) { sounding |= bit }
        }
        unsafe isSteady = unsafe present == 0 && steady == presentLanes
        unsafe steadyLanes = steady
        if unsafe invalidLanes != 0 { unsafe leaveInvalidLanes() }
        if present != 0 { unsafe findSteadyLanes(among: present) }
        unsafe presentLanes = present | steady
        unsafe arrivedLanes = arrived | steady
        unsafe soundingLanes = sounding | steady
        if unsafe isHolding { unsafe measureSilence(frameCount: audio.frameCount) }
    }

    /// Without a buffer the source's app gave nothing in this cycle.
    @_noLocks
    private func isArriving(
        _ lane: Int, _ settings: UnsafePointer<LaneSettings>, _ cycle: UnsafePointer<GraphCycle>
    ) -> Bool {
        guard unsafe settings.pointee.isLinked else { return false }
        for channel in unsafe 0..<width where unsafe cycle.pointee.inputs[lane * width + channel] != nil {
            return true
        }
        return false
    }

    /// - Returns: whether there may be more to come from it even if it is unlinked.
    @_noLocks
    @inline(never)
    private mutating func advance(
        _ lane: Int, _ settings: UnsafePointer<LaneSettings>, _ cycle: UnsafePointer<GraphCycle>, _ audio: AudioCycle
    ) -> Bool {
        let state = unsafe lanes + lane
        // A source that has gone keeps the delay that it had.
        if unsafe settings.pointee.isLinked { unsafe state.pointee.wantedDelay = unsafe wantedDelay(settings) }
        if unsafe state.pointee.occupancy != settings.pointee.occupancy { unsafe occupy(lane, settings) }
        let history = unsafe settings.pointee.history
        let isDelayed = unsafe history != nil
        if isDelayed { unsafe prepareDelay(lane, settings, missedFrames: audio.missedFrames) }
        var isAudible = false
        // A mono source goes through on all channels, so that another one can follow it without a seam.
        for channel in unsafe 0..<width {
            var block = unsafe takeInput(lane, channel, settings, cycle, audio.frameCount)
            if unsafe block != silence { isAudible = true }
            if let history = unsafe history {
                unsafe block = unsafe delay(lane, channel, history, block, audio.frameCount)
            }
            unsafe blocks[lane * width + channel] = unsafe block
        }
        if isDelayed { unsafe endDelay(lane, isAudible: isAudible, frameCount: audio.frameCount) }
        unsafe tellQuiet(lane, settings)
        unsafe measure(lane, channelCount: settings.pointee.channelCount, frameCount: audio.frameCount)
        if unsafe settings.pointee.channelCount < width, unsafe wasCrossfading(lane, audio.frameCount) {
            unsafe checkOtherChannels(lane, settings, audio.frameCount)
        }
        return unsafe isAudible || isDelayed && state.pointee.silentFrames < state.pointee.delay
    }

    /// A source has come to a lane: what is left of the last one dies away under it.
    @_noLocks
    private mutating func occupy(_ lane: Int, _ settings: UnsafePointer<LaneSettings>) {
        let state = unsafe lanes + lane
        unsafe state.pointee.occupancy = unsafe settings.pointee.occupancy
        unsafe gains[lane].left.jump(to: settings.pointee.left)
        unsafe gains[lane].right.jump(to: settings.pointee.right)
        unsafe state.pointee.beginSource()
        for channel in unsafe lane * width..<(lane + 1) * width {
            unsafe channels[channel].cut(last: lastSamples[channel])
        }
        unsafe beginMeter(ofLane: lane)
    }

    /// Nothing of a lane is left from the time before the port was connected anew.
    @_noLocks
    private mutating func forget(_ lane: Int) {
        unsafe lanes[lane] = unsafe LaneState()
        unsafe gains[lane] = unsafe LaneGains()
        for channel in unsafe 0..<width { unsafe channels[lane * width + channel] = unsafe ChannelState() }
    }

    @_noLocks
    @inline(__always)
    private mutating func hush(_ lane: Int) {
        for channel in unsafe 0..<width { unsafe blocks[lane * width + channel] = unsafe silence }
    }

    @_noLocks
    @inline(never)
    private mutating func follow(sampleRate: Int) {
        unsafe self.sampleRate = sampleRate
        unsafe meters.pointee.sampleRate.store(sampleRate, ordering: .relaxed)
        unsafe fadeLength = unsafe sampleRate * fadeMicroseconds / 1_000_000
        unsafe rampLength = unsafe max(sampleRate / Self.rampsPerSecond, 1)
        unsafe crossfadeLength = unsafe max(sampleRate / Self.crossfadesPerSecond, 1)
        unsafe windowLength = unsafe max(sampleRate / Self.windowsPerSecond, 1)
    }
}
