// SPDX-License-Identifier: MIT

/// Which input each output of a bypassed filter passes on.
///
/// | channels                | an output gives          |
/// | ----------------------- | ------------------------ |
/// | one in                  | that one                 |
/// | several in, one out     | the mean of all          |
/// | otherwise               | the input of its number, and silence where there is none |
///
/// - Thread: audio.
struct BypassRouting {
    let inputCount: Int
    let outputCount: Int
    /// Memory for the mean.
    let place: BlockPool
    let mixInputs: MixInputs
    /// A block of zeros of the longest cycle.
    let silence: SampleBlock

    /// The input of an output in this cycle.
    ///
    /// - Parameter inputs: each must have a buffer.
    @_noLocks
    func block(_ inputs: CycleBuffers, output: Int) -> SampleBlock {
        if inputCount == 1 { return inputs.whole(0) }
        guard outputCount == 1 else {
            return output < inputCount ? inputs.whole(output) : silence.prefix(inputs.frameCount)
        }
        let gain = GainRamp(1 / Float(inputCount))
        for input in 0..<inputCount { mixInputs.set(input, to: inputs.whole(input), gain) }
        let mean = place.block(0, inputs.frameCount)
        mixInputs.mix(0, count: inputCount, into: mean)
        return mean
    }
}
