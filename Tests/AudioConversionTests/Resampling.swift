// SPDX-License-Identifier: MIT
import AudioConversion

/// Whole signals through a resampler.
enum Resampling {
    /// All output of a signal, in blocks of input of sizes that `next` gives, with room for as much output as comes.
    static func process(
        _ input: [[Float]], _ resampler: inout Resampler, ratio: Double, block next: () -> Int
    ) -> [[Float]] {
        let (source, frames) = (TestRows(input), input[0].count)
        let capacity = Int(Double(frames) * ratio * 1.001) + 100
        let result = TestRows(count: input.count, frames: capacity)
        var consumed = 0
        var produced = 0
        while true {
            let block = min(next(), frames - consumed)
            let step = unsafe resampler.process(
                source.rows, from: consumed, inputFrames: block, into: result.rows, at: produced,
                outputCapacity: capacity - produced)
            consumed += step.consumed
            produced += step.produced
            if consumed == frames && step.produced == 0 { break }
        }
        precondition(result.isIntact)
        return result.prefix(produced)
    }

    /// One channel from rate to rate.
    static func convert(
        _ input: [Float], from inputRate: Double, to outputRate: Double, _ quality: Resampler.Quality = .medium
    ) -> [Float] {
        let ratio = outputRate / inputRate
        var resampler = Resampler(channelCount: 1, ratio: ratio, quality: quality)
        return process([input], &resampler, ratio: ratio) { 480 }[0]
    }
}
