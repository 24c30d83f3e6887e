// SPDX-License-Identifier: MIT
public import RealtimeKit

extension SampleRing.Writer {
    /// Writes all channels of a cycle to the ring, or nothing if there is no room for them.
    ///
    /// - Parameter input: as many channels as the ring has. For a receiver's mix it is ``ReceivedMix/channels``.
    /// - Returns: whether the channels were written.
    /// - Realtime: safe.
    @_noLocks
    public mutating func tryWrite(_ input: borrowing InputChannels) -> Bool {
        // Copied first, because a precondition's condition is a closure.
        let (count, frames, channels) = (input.count, input.frameCount, channelCount)
        precondition(count == channels, "a ring takes as many channels as it has")
        guard frames <= writableFrames else { return false }
        for channel in 0..<count { unsafe fill(channel: channel, from: input.base[channel], frameCount: frames) }
        commit(frameCount: frames)
        return true
    }
}

extension SampleRing.Reader {
    /// Reads frames from the ring into all channels: as many as the ring holds, at most those of the cycle.
    ///
    /// - Parameter output: as many channels as the ring has.
    /// - Returns: the number of frames. After them the output is unchanged: silent, unless the block wrote to it.
    /// - Realtime: safe.
    @_noLocks
    public mutating func read(into output: inout OutputChannels) -> Int {
        let (count, channels) = (output.count, channelCount)
        precondition(count == channels, "a ring gives as many channels as it has")
        let frames = min(output.frameCount, readableFrames)
        for channel in 0..<count {
            unsafe copy(frameCount: frames, ofChannel: channel, to: output.base[channel])
            if !output.isWritten(channel) { output.silence(channel, from: frames) }
        }
        discard(frameCount: frames)
        return frames
    }
}

extension Parameter.RampedReader {
    /// The values for the frames of a cycle. Call it once a cycle, even where they are used for several channels.
    ///
    /// - Realtime: safe.
    @inlinable
    @inline(always)
    public mutating func ramp(over cycle: AudioCycle) -> Ramp<Value> {
        ramp(frameCount: cycle.frameCount, sampleRate: cycle.sampleRate)
    }
}
