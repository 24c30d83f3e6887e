// SPDX-License-Identifier: MIT
import RealtimeKit

/// The change of the rate in a ``FormatConverter``: a resampler, or nothing where the rates are equal.
///
/// A view: the converter's memory owns the resampler.
struct RateStage: BitwiseCopyable {
    /// In Hz.
    private(set) var inputRate: Double
    private(set) var outputRate: Double
    private let isAdjustable: Bool
    /// Whether the rates differ, or may. Without, sound passes by the resampler.
    private(set) var isResampling: Bool
    private let resampler: Cell<ResamplerCore>?

    init(from inputRate: Double, to outputRate: Double, isAdjustable: Bool, _ resampler: Cell<ResamplerCore>?) {
        self.inputRate = inputRate
        self.outputRate = outputRate
        self.isAdjustable = isAdjustable
        self.resampler = resampler
        isResampling = isAdjustable || inputRate != outputRate
    }

    /// Whether there is a resampler, used or not.
    var hasResampler: Bool { @_noLocks get { resampler != nil } }

    /// By how much the output is later than the input, in frames of input. 0 without a resampler.
    var delay: Int { @_noLocks get { isResampling ? resampler?.value.delay ?? 0 : 0 } }

    /// By how much the input that was taken is ahead of the next frame of output, now, in frames of input.
    var lead: Double { @_noLocks get { isResampling ? resampler?.value.lead ?? 0 : 0 } }

    /// Gives a factor more frames of output. Smooth.
    ///
    /// - Parameter factor: clamped to what the resampler was made for.
    @_noLocks
    func adjust(by factor: Double) { resampler?.value.setRatio(outputRate / inputRate * factor) }

    /// Takes other rates, if there is a resampler. It forgets the sound that it holds back.
    @_noLocks
    mutating func setRates(from inputRate: Double, to outputRate: Double) {
        guard let resampler else { return }
        self.inputRate = inputRate
        self.outputRate = outputRate
        isResampling = isAdjustable || inputRate != outputRate
        if isResampling { resampler.value.retune(to: outputRate / inputRate) }
    }

    @_noLocks
    func reset() { resampler?.value.reset() }

    /// The number of frames of input for so many of output: with fewer than `least` there are not as many, with `most` there are.
    @_noLocks
    func inputFramesNeeded(forOutput count: Int) -> (least: Int, most: Int) {
        guard isResampling, let resampler else { return (count, count) }
        return resampler.value.inputFramesNeeded(forOutput: count)
    }

    /// Resamples; `nil` where sound passes by. ``Resampler`` describes it.
    @_noLocks
    func process(
        _ rows: Rows, from start: Int = 0, inputFrames: Int, into results: Rows, at place: Int = 0, outputCapacity: Int
    ) -> (consumed: Int, produced: Int)? {
        guard isResampling, let resampler else { return nil }
        return unsafe resampler.value.process(
            rows, from: start, inputFrames: inputFrames, into: results, at: place, outputCapacity: outputCapacity)
    }
}
