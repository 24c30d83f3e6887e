// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Meters: peak and energy of each lane and of the mix, in windows of 50 ms.
extension ReceiverCore {
    @_noLocks
    @inline(__always)
    mutating func beginMetering(frameCount: Int) {
        if windowFrames >= windowLength { beginWindow() }
        windowFrames += frameCount
        meters.value.cycleLength.store(frameCount, ordering: .relaxed)
    }

    /// Resets the meter of a lane with a new source, or with the first one after a pause.
    @_noLocks
    func beginMeter(ofLane lane: Int) {
        lanes[lane].peak = 0
        lanes[lane].energy = 0
        meters.value.begin(row: lane)
    }

    /// Resets all meters after a time without a connection.
    @_noLocks
    mutating func beginMixMeter() {
        mixPeak = 0
        mixEnergy = 0
        meters.value.begin(row: laneCount)
    }

    /// Runs after all rows are stored: a reader that sees the window's length sees its signal levels, too.
    @_noLocks
    @inline(__always)
    func endMetering() {
        let microseconds = windowFrames * 1_000_000 / max(sampleRate, 1)
        meters.value.store(microseconds: UInt64(truncatingIfNeeded: microseconds))
    }

    @_noLocks
    @inline(never)
    private mutating func beginWindow() {
        meters.value.beginWindow()
        windowFrames = 0
        mixPeak = 0
        mixEnergy = 0
        for lane in 0..<laneCount {
            lanes[lane].peak = 0
            lanes[lane].energy = 0
        }
    }

    @_noLocks
    @inline(__always)
    mutating func measure(_ lane: Int, channelCount: Int, frameCount: Int) {
        let state = lanes.cell(lane)
        blocks.measure(
            lane * width, count: channelCount, frameCount, peak: &state.value.peak, energy: &state.value.energy)
        if !(state.value.energy < .infinity) { silenceInvalidBlock(lane, channelCount, frameCount) }
        let samples = Double(windowFrames * (channelCount > 0 ? channelCount : 1))
        meters.value.store(peak: state.value.peak, meanSquare: Float(state.value.energy / samples), row: lane)
    }

    @_noLocks
    @inline(__always)
    mutating func measureMix(frameCount: Int) {
        mix.measure(0, count: width, frameCount, peak: &mixPeak, energy: &mixEnergy)
        meters.value.store(
            peak: mixPeak, meanSquare: Float(mixEnergy / Double(windowFrames * width)), row: laneCount)
    }
}
