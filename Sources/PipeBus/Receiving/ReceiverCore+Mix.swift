// SPDX-License-Identifier: MIT
import CAudioKernels
import Synchronization

/// Levels, mixing and metering.
extension ReceiverCore {
    /// Points each channel of the mix to silence, to the one block that is there, or to the sum of several.
    @_noLocks
    mutating func mixLanes(frameCount: Int) {
        if unsafe isSteady && areGainsAtRest {
            for channel in unsafe 0..<width {
                unsafe renewInputs(channel)
                unsafe mixChannel(channel, frameCount)
            }
        } else {
            unsafe headForLevels()
            for channel in unsafe 0..<width {
                unsafe prepareInputs(channel)
                unsafe mixChannel(channel, frameCount)
            }
            unsafe advanceGains(by: frameCount)
        }
        unsafe measureMix(frameCount: frameCount)
        unsafe endMetering()
    }

    @_noLocks
    @inline(never)
    private mutating func headForLevels() {
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            unsafe gains[lane].left.head(for: settings[lane].left, length: rampLength)
            unsafe gains[lane].right.head(for: settings[lane].right, length: rampLength)
        }
    }

    /// Notes also whether all of them were at rest already in this cycle: then the inputs of the mix are the same in the
    /// next.
    @_noLocks
    @inline(never)
    private mutating func advanceGains(by frameCount: Int) {
        unsafe areGainsAtRest = true
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            if unsafe !gains[lane].left.isAtRest || !gains[lane].right.isAtRest { unsafe areGainsAtRest = false }
            unsafe gains[lane].left.advance(by: frameCount)
            unsafe gains[lane].right.advance(by: frameCount)
        }
    }

    /// Fills in the inputs of a channel of the mix: lanes that are not silent.
    @_noLocks
    @inline(never)
    private mutating func prepareInputs(_ channel: Int) {
        let inputs = unsafe mixInputs + channel * laneCount
        var mixed: UInt64 = 0
        var count = 0
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            let bit = remaining & (0 &- remaining)
            remaining &= remaining &- 1
            let block = unsafe blocks[lane * width + channel]
            if unsafe block == silence { continue }
            let isRight = unsafe width == 2 && channel == 1
            if unsafe isRight ? gains[lane].right.isSilent : gains[lane].left.isSilent { continue }
            unsafe inputs[count] = unsafe isRight ? gains[lane].right.input(block) : gains[lane].left.input(block)
            count += 1
            mixed |= bit
        }
        unsafe mixedLanes[channel] = mixed
    }

    /// The same inputs as in the last cycle, with the blocks of this one.
    @_noLocks
    @inline(__always)
    private mutating func renewInputs(_ channel: Int) {
        var input = unsafe mixInputs + channel &* laneCount
        var remaining = unsafe mixedLanes[channel]
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            unsafe input.pointee.samples = unsafe UnsafePointer(blocks[lane &* width &+ channel])
            unsafe input += 1
        }
    }

    @_noLocks
    @inline(__always)
    private mutating func mixChannel(_ channel: Int, _ frameCount: Int) {
        let lanes = unsafe mixedLanes[channel]
        let inputs = unsafe mixInputs + channel &* laneCount
        if lanes == 0 {
            unsafe mix[channel] = unsafe silence
        } else if lanes & (lanes &- 1) == 0, unsafe inputs.pointee.length == 0 && inputs.pointee.end == 1 {
            // Not copied.
            unsafe mix[channel] = unsafe blocks[lanes.trailingZeroBitCount &* width &+ channel]
        } else {
            // Close together: each page that is touched costs, too.
            let sum =
                unsafe scratch + laneCount * width * AudioCycle.maximumFrameCount + channel * ((frameCount + 15) & ~15)
            let count = UInt32(truncatingIfNeeded: lanes.nonzeroBitCount)
            unsafe cak_mix(sum, inputs, count, UInt32(truncatingIfNeeded: frameCount))
            unsafe mix[channel] = unsafe sum
        }
    }

    // MARK: Meters

    @_noLocks
    @inline(__always)
    mutating func beginMetering(frameCount: Int) {
        if unsafe windowFrames >= windowLength { unsafe beginWindow() }
        unsafe windowFrames += frameCount
        unsafe meters.pointee.cycleLength.store(frameCount, ordering: .relaxed)
    }

    /// Another source is on a lane, or none has been for a while: its meter is not the last one's.
    @_noLocks
    func beginMeter(ofLane lane: Int) {
        unsafe lanes[lane].peak = 0
        unsafe lanes[lane].energy = 0
        unsafe meters.pointee.begin(row: lane)
    }

    /// The port was not connected for a while.
    @_noLocks
    mutating func beginMixMeter() {
        unsafe mixPeak = 0
        unsafe mixEnergy = 0
        unsafe meters.pointee.begin(row: laneCount)
    }

    /// After all rows are stored: whoever sees the window's length sees what was heard in it, too.
    @_noLocks
    @inline(__always)
    func endMetering() {
        let microseconds = unsafe windowFrames * 1_000_000 / max(sampleRate, 1)
        unsafe meters.pointee.store(microseconds: UInt64(truncatingIfNeeded: microseconds))
    }

    @_noLocks
    @inline(never)
    private mutating func beginWindow() {
        unsafe meters.pointee.beginWindow()
        unsafe windowFrames = 0
        unsafe mixPeak = 0
        unsafe mixEnergy = 0
        for lane in unsafe 0..<laneCount {
            unsafe lanes[lane].peak = 0
            unsafe lanes[lane].energy = 0
        }
    }

    @_noLocks
    @inline(__always)
    mutating func measure(_ lane: Int, channelCount: Int, frameCount: Int) {
        let state = unsafe lanes + lane
        unsafe cak_measure_channels(
            Self.channels(blocks + lane * width), UInt32(truncatingIfNeeded: channelCount),
            UInt32(truncatingIfNeeded: frameCount), &state.pointee.peak, &state.pointee.energy)
        if unsafe !(state.pointee.energy < .infinity) { unsafe silenceInvalidBlock(lane, channelCount, frameCount) }
        let samples = unsafe Double(windowFrames * (channelCount > 0 ? channelCount : 1))
        unsafe meters.pointee.store(
            peak: state.pointee.peak, meanSquare: Float(state.pointee.energy / samples), row: lane)
    }

    @_noLocks
    @inline(__always)
    private mutating func measureMix(frameCount: Int) {
        unsafe cak_measure_channels(
            Self.channels(mix), UInt32(truncatingIfNeeded: width), UInt32(truncatingIfNeeded: frameCount), &mixPeak,
            &mixEnergy)
        unsafe meters.pointee.store(
            peak: mixPeak, meanSquare: Float(mixEnergy / Double(windowFrames * width)), row: laneCount)
    }

    /// Blocks as C sees them.
    @_noLocks
    @inline(__always)
    static func channels(
        _ blocks: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    ) -> UnsafePointer<UnsafeMutablePointer<Float>?> {
        unsafe UnsafeRawPointer(blocks).assumingMemoryBound(to: UnsafeMutablePointer<Float>?.self)
    }
}
