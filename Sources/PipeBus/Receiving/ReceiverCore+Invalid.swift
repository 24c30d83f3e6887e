// SPDX-License-Identifier: MIT
import RealtimeKit

/// Blocks with samples that are no numbers. One of them, NaN or infinite, would stay in every sum that it gets into: in a
/// mix, in a meter, in the feedback of whatever comes behind. So a lane's block that holds one is silent as a whole.
///
/// It is found by the block's energy, which is measured anyway and is not finite then. That is behind the delay line, so
/// what is found is taken out of there as well.
extension ReceiverCore {
    /// Silences the present block of a lane. Rare, and kept out of the code that runs in every cycle.
    ///
    /// - Parameter channelCount: as the block was measured; what the meter says of it is taken back.
    @_noLocks
    @inline(never)
    mutating func silenceInvalidBlock(_ lane: Int, _ channelCount: Int, _ frameCount: Int) {
        let before = meters.value.stored(row: lane)
        let samples = (windowFrames - frameCount) * (channelCount > 0 ? channelCount : 1)
        lanes[lane].peak = before.peak
        lanes[lane].energy = Double(before.meanSquare) * Double(samples)
        reject(lane, frameCount)
    }

    /// A mono source is measured on one channel. On the others there may be the rest of a source from before it.
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

    /// In this cycle two places of the delay line were read.
    @_noLocks
    @inline(__always)
    func wasCrossfading(_ lane: Int, _ frameCount: Int) -> Bool {
        lanes[lane].crossfade.wasRunning(length: crossfadeLength, before: frameCount)
    }

    /// After all lanes have gone through: these take the long path in the next cycle, so that the inputs of the mix are filled in again.
    @_noLocks
    @inline(never)
    mutating func leaveInvalidLanes() {
        steadyLanes.subtract(invalidLanes)
        invalidLanes = LaneSet()
    }
}
