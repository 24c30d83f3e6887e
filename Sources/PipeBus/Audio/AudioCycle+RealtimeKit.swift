// SPDX-License-Identifier: MIT
public import RealtimeKit

extension SampleRing.Writer {
    /// Writes all channels of this cycle, or nothing if they do not fit.
    ///
    /// - Parameter input: as many channels as the ring has. A receiver's mix has them as ``ReceivedMix/channels``.
    /// - Returns: whether there was room.
    /// - Realtime: safe.
    @_noLocks
    public mutating func tryWrite(_ input: borrowing InputChannels) -> Bool {
        // Copied first: a precondition's condition is a closure.
        let (count, frames, channels) = (input.count, input.frameCount, channelCount)
        precondition(count == channels, "a ring takes as many channels as it has")
        guard frames <= writableFrames else { return false }
        for channel in 0..<count { unsafe fill(channel: channel, from: input.base[channel], frameCount: frames) }
        commit(frameCount: frames)
        return true
    }
}

extension SampleRing.Reader {
    /// Takes as many frames as there are, at most those of this cycle, into all channels.
    ///
    /// - Parameter output: as many channels as the ring has.
    /// - Returns: how many frames. Behind them the output is left as it was: silent, unless the block wrote to it.
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
    /// The values for the frames of a cycle. Once a cycle, also if they are for several channels.
    ///
    /// - Realtime: safe.
    @inlinable
    @inline(always)
    public mutating func ramp(over cycle: AudioCycle) -> Ramp<Value> {
        ramp(frameCount: cycle.frameCount, sampleRate: cycle.sampleRate)
    }
}
