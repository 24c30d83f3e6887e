// SPDX-License-Identifier: MIT
import RealtimeKit

/// Blocks with invalid samples.
///
/// A NaN or infinite sample would stay in every sum: in a mix, in a meter, in the feedback of a later filter. So the
/// whole block of a lane with such a sample is silenced.
///
/// The test is the block's energy, which is measured in any case: it is not finite then. The energy is measured behind
/// the delay line, so the samples are removed from the line as well.
extension ReceiverCore {
    /// Silences the present block of a lane. Rare, and kept out of the code that runs in every cycle.
    ///
    /// - Parameter channelCount: the channels that were measured. Their part in the meter is removed.
    @_noLocks
    @inline(never)
    mutating func silenceInvalidBlock(_ lane: Int, _ channelCount: Int, _ frameCount: Int) {
        let before = meters.value.stored(row: lane)
        let samples = (windowFrames - frameCount) * (channelCount > 0 ? channelCount : 1)
        lanes[lane].peak = before.peak
        lanes[lane].energy = Double(before.meanSquare) * Double(samples)
        reject(lane, frameCount)
    }

    /// Tests the channels that are not measured. A mono source is measured on one channel; on the others there may be
    /// the rest of an earlier source.
    @_noLocks
    @inline(never)
    mutating func checkOtherChannels(_ lane: Int, _ frameCount: Int) {
        let measured = settings[lane].channelCount
        var peak: Float = 0
        var energy = 0.0
        blocks.measure(lane * width + measured, count: width - measured, frameCount, peak: &peak, energy: &energy)
        if !(energy < .infinity) { reject(lane, frameCount) }
    }

    @_noLocks
    private mutating func reject(_ lane: Int, _ frameCount: Int) {
        let state = lanes.cell(lane)
        invalidLanes.insert(lane)
        meters.value.markInvalid(row: lane)
        board.value.countInvalidBlock(lane: lane, sourceGeneration: state.value.sourceGeneration)
        for channel in lane * width..<(lane + 1) * width { blocks.set(channel, to: silence) }
        if state.value.line.memory == nil { return }
        let wasFading = wasCrossfading(lane, frameCount)
        for channel in 0..<width {
            state.value.line.clearLast(channel, delay: state.value.delay, frameCount)
            if wasFading { state.value.line.clearLast(channel, delay: state.value.oldDelay, frameCount) }
        }
    }

    /// Whether two places of the delay line were read in this cycle.
    @_noLocks
    @inline(__always)
    func wasCrossfading(_ lane: Int, _ frameCount: Int) -> Bool {
        lanes[lane].crossfade.wasRunning(length: crossfadeLength, before: frameCount)
    }

    /// Runs after all lanes: invalid lanes take the long path in the next cycle, so that the inputs of the mix are
    /// filled in again.
    @_noLocks
    @inline(never)
    mutating func markInvalidLanesUnsteady() {
        steadyLanes.subtract(invalidLanes)
        invalidLanes = LaneSet()
    }
}
