// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime

/// What takes the click out of what a filter is given: sound that begins is faded in, and what is cut off dies away.
@unsafe struct InputFades {
    // Set once.
    let count: Int
    let microseconds: Int
    let channels: UnsafeMutablePointer<ChannelState>
    let lastSamples: UnsafeMutablePointer<Float>
    /// A cycle for each channel, and one more.
    let scratch: UnsafeMutablePointer<Float>
    let silence: UnsafeMutablePointer<Float>

    // Audio thread only.
    private var fadeLength = 0

    init(count: Int, fade: Fade, silence: UnsafeMutablePointer<Float>) {
        cak_prepare()
        unsafe self.count = count
        unsafe microseconds = fade.microseconds
        unsafe self.silence = unsafe silence
        unsafe channels = .allocate(capacity: count)
        unsafe channels.initialize(repeating: ChannelState(), count: count)
        unsafe lastSamples = .allocate(capacity: count)
        unsafe lastSamples.initialize(repeating: 0, count: count)
        let samples = (count + 1) * AudioCycle.maximumFrameCount
        unsafe scratch = .allocate(capacity: samples)
        unsafe scratch.initialize(repeating: 0, count: samples)
    }

    func deallocate() {
        unsafe channels.deallocate()
        unsafe lastSamples.deallocate()
        unsafe scratch.deallocate()
    }

    /// Puts in place of what comes what is to be heard of it.
    ///
    /// - Parameter isLinked: nothing that comes is to be heard otherwise.
    @_noLocks
    mutating func pass(_ cycle: UnsafePointer<GraphCycle>, _ audio: AudioCycle, isLinked: Bool) {
        let length = unsafe audio.sampleRate * microseconds / 1_000_000
        // What was before belongs to another time.
        let isNew = audio.isDiscontinuous && audio.missedFrames == 0
        if unsafe isNew || length != fadeLength { unsafe begin(length) }
        let buffers = unsafe cycle.pointee.inputs
        for channel in unsafe 0..<count {
            let buffer = unsafe isLinked ? buffers[channel] : nil
            let state = unsafe channels + channel
            if let buffer = unsafe buffer, unsafe state.pointee.fade == length,
                unsafe state.pointee.tailPosition >= length
            {
                unsafe lastSamples[channel] = unsafe buffer[audio.frameCount - 1]
            } else if unsafe buffer == nil, unsafe state.pointee.fade == 0, unsafe state.pointee.tailPosition >= length
            {
                unsafe buffers[channel] = unsafe silence
            } else {
                unsafe buffers[channel] = unsafe state.pointee.pass(
                    buffer, isLeaving: false, last: lastSamples + channel,
                    place: scratch + channel * AudioCycle.maximumFrameCount,
                    spare: scratch + count * AudioCycle.maximumFrameCount, silence: silence, audio.frameCount, length)
            }
        }
    }

    @_noLocks
    @inline(never)
    private mutating func begin(_ length: Int) {
        unsafe fadeLength = length
        for channel in unsafe 0..<count { unsafe channels[channel] = unsafe ChannelState() }
    }
}
