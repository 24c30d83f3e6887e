// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime

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
        let state = unsafe lanes + lane
        let before = unsafe meters.pointee.stored(row: lane)
        let samples = unsafe (windowFrames - frameCount) * (channelCount > 0 ? channelCount : 1)
        unsafe state.pointee.peak = before.peak
        unsafe state.pointee.energy = Double(before.meanSquare) * Double(samples)
        unsafe reject(lane, frameCount)
    }

    /// A mono source is measured on one channel. On the others there may be the rest of a source from before it.
    @_noLocks
    @inline(never)
    mutating func checkOtherChannels(_ lane: Int, _ settings: UnsafePointer<LaneSettings>, _ frameCount: Int) {
        let measured = unsafe settings.pointee.channelCount
        var peak: Float = 0
        var energy = 0.0
        unsafe cak_measure_channels(
            Self.channels(blocks + lane * width + measured), UInt32(truncatingIfNeeded: width - measured),
            UInt32(truncatingIfNeeded: frameCount), &peak, &energy)
        if !(energy < .infinity) { unsafe reject(lane, frameCount) }
    }

    @_noLocks
    private mutating func reject(_ lane: Int, _ frameCount: Int) {
        let state = unsafe lanes + lane
        unsafe invalidLanes |= 1 << UInt64(truncatingIfNeeded: lane)
        unsafe meters.pointee.markInvalid(row: lane)
        unsafe board.pointee.countInvalidBlock(lane: lane, occupancy: state.pointee.occupancy)
        for channel in unsafe lane * width..<(lane + 1) * width { unsafe blocks[channel] = unsafe silence }
        guard let history = unsafe settings[lane].history else { return }
        let wasFading = unsafe wasCrossfading(lane, frameCount)
        for channel in unsafe 0..<width {
            let line = unsafe history + channel * historyLength
            unsafe clear(line, from: state.pointee.written - frameCount - state.pointee.delay, frameCount)
            if wasFading {
                unsafe clear(line, from: state.pointee.written - frameCount - state.pointee.oldDelay, frameCount)
            }
        }
    }

    /// In this cycle two places of the delay line were read.
    @_noLocks
    @inline(__always)
    func wasCrossfading(_ lane: Int, _ frameCount: Int) -> Bool {
        unsafe lanes[lane].crossfade &- frameCount < crossfadeLength
    }

    @_noLocks
    private func clear(_ history: UnsafeMutablePointer<Float>, from count: Int, _ frameCount: Int) {
        let start = unsafe count & (historyLength - 1)
        let first = unsafe min(frameCount, historyLength - start)
        unsafe crt_clear(history + start, UInt64(truncatingIfNeeded: first))
        unsafe crt_clear(history, UInt64(truncatingIfNeeded: frameCount - first))
    }

    /// After all lanes have gone through: these take the long way in the next cycle, so that the mix is put together anew.
    @_noLocks
    @inline(never)
    mutating func leaveInvalidLanes() {
        unsafe steadyLanes &= ~invalidLanes
        unsafe invalidLanes = 0
    }
}
