// SPDX-License-Identifier: MIT

/// Runs the operations of process blocks once on the control side, on one sample.
///
/// In a debug build the first use of a generic type, such as `MutableSpan<Float>` or a range's iterator, requests its
/// metadata from the Swift runtime, which locks and allocates. The metadata is then kept for the whole executable.
/// After this call the audio thread's first use finds it. A release build does not need the call.
func warmUpProcessBlocks() {
    let sample = UnsafeMutablePointer<Float>.allocate(capacity: 1)
    unsafe sample.initialize(to: 0)
    let channels = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    unsafe channels.initialize(repeating: sample, count: 2)
    let input = unsafe InputChannels(base: channels, count: 2, frameCount: 1)
    var output = unsafe OutputChannels(base: channels, count: 2, frameCount: 1, isFilled: false)
    for channel in 0..<output.count {
        let from = input[channel]
        var to = output[channel]
        for frame in to.indices { to[frame] = from[frame] }
        for frame in from.indices where from[frame] > to[frame] { to[frame] += from[frame] }
    }
    output.withChannels(0, 1) { left, right in
        for frame in left.indices { left[frame] += right[frame] + input[0, frame] }
    }
    output[0, 0] += input[0, 0]
    output.fill(0) { frame in input[0, frame] }
    unsafe channels.deallocate()
    unsafe sample.deallocate()
}
