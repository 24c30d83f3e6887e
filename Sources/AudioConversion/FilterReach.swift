// SPDX-License-Identifier: MIT
import CAudioConversion

/// How far the filter of a ``Resampler`` reaches: the number of frames of input after its time that a frame of output needs.
///
/// libsamplerate does not say, so it is measured once, at a small ratio. There the filter is that many times longer, so the
/// length comes out exactly.
struct FilterReach {
    /// Half of the filter in frames of input, at a ratio of 1 and more.
    private let length: Double
    /// The largest error of `length`.
    private let error: Double

    /// - Parameter state: it is to be reset afterwards.
    init(measuring state: OpaquePointer, channelCount: Int, minimumRatio: Double) {
        let ratio = min(minimumRatio, 1.0 / 16)
        unsafe cac_resampler_reset(state, ratio)
        let silence = [Float](repeating: 0, count: channelCount)
        var output = silence
        var count = 0
        var made: UInt32 = 0
        while made == 0 {
            unsafe silence.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output in
                    var conversion = unsafe cac_conversion(
                        input: input.baseAddress!, output: output.baseAddress!, input_frames: 1, output_frames: 1,
                        ratio: ratio)
                    unsafe cac_resampler_process(state, &conversion)
                    made = unsafe conversion.output_frames
                }
            }
            count += 1
        }
        // The frame at the output's time, one more that the filter keeps, and its length rounded to the nearest.
        length = Double(count - 2) * ratio
        error = 0.5 * ratio
    }

    /// The reach at a ratio, in frames of input: exact, or one of two numbers.
    @_noLocks
    func frames(atRatio ratio: Double) -> (least: Int, most: Int) {
        let scale = 1 / min(ratio, 1)
        return (Int((length - error) * scale + 0.5) + 1, Int((length + error) * scale + 0.5) + 1)
    }
}
