// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

/// Changes the sample rate of planar 32-bit floats by a ratio that may change while sound passes.
///
/// Frame j of the output is the input at the time j / ratio, counted from the first frame, so nothing is shifted. But it comes
/// only when ``delay`` more frames of input have gone in. Blocks of any size give the same output, to the bit, if the ratio is
/// set before the same frames of output.
///
/// libsamplerate does the work ([decision 15](../../Docs/Decisions/0015-resampler.md)).
///
/// - Thread: any, one at a time.
/// - Realtime: safe, but for the initializer and the end.
@safe package struct Resampler: ~Copyable, @unchecked Sendable {
    // @unchecked: the memory has this owner alone.
    package enum Quality: Sendable, CaseIterable {
        /// Flat up to 87 % of half of the lower rate: 19.1 kHz at 44.1 kHz.
        case medium
        /// Flat up to 95 %: 20.9 kHz. Three times the cost and the delay.
        case best
    }

    private let owner: ResamplerMemory
    private let core: Cell<ResamplerCore>

    /// - Parameters:
    ///   - channelCount: 1…64.
    ///   - ratio: output rate over input rate, 1/200…200; clamped.
    ///   - deviation: the largest relative change of the ratio, 0…0.5.
    package init(channelCount: Int, ratio: Double, deviation: Double = 0.001, quality: Quality = .medium) {
        let memory = ResamplerMemory(
            channelCount: channelCount, ratio: ratio, deviation: deviation, quality: quality)
        owner = memory
        core = memory.core
    }

    /// Number of frames of input that it holds back: a frame of output comes when so many frames after its time have gone in.
    package var delay: Int { @_noLocks get { core.value.delay } }

    /// By how much the input that was taken is ahead of the next frame of output, now: the delay of this moment, in frames of
    /// input. 0 at first, then about ``delay``.
    package var lead: Double { @_noLocks get { core.value.lead } }

    /// Moves to another ratio. The frames of output that come next lead there in a line of small steps, which is as long as the ratio
    /// before was set: 16…512 frames.
    ///
    /// - Parameter ratio: output rate over input rate; clamped to the range that `deviation` allows.
    @_noLocks
    package mutating func setRatio(_ ratio: Double) { core.value.setRatio(ratio) }

    /// Forgets all input: the next frame of input is the first. The ratio is the one that was set last.
    ///
    /// Clears 140 KB a channel, or 440 of the best quality: some tens of µs.
    @_noLocks
    package mutating func reset() { core.value.reset() }

    /// The number of frames of input that it takes for so many frames of output from now on: with fewer than `least` there are
    /// not as many, with `most` there are. The two differ by two at most while the ratio is constant.
    ///
    /// - Parameter count: 0 or more.
    @_noLocks
    package func inputFramesNeeded(forOutput count: Int) -> (least: Int, most: Int) {
        core.value.inputFramesNeeded(forOutput: count)
    }

    /// Takes frames of input and stores frames of output, until one or the other has come to an end.
    ///
    /// It takes no more input than the output needs. So its delay is constant, whatever the sizes.
    ///
    /// - Parameters:
    ///   - rows: one for each channel. Input and output do not overlap.
    ///   - start: the first frame in the rows.
    ///   - inputFrames: 0 or more.
    ///   - results: one row for each channel.
    ///   - place: the first frame to store.
    ///   - outputCapacity: number of frames to store at most.
    /// - Returns: the numbers of frames of input and of output.
    @_noLocks
    package mutating func process(
        _ rows: Rows, from start: Int = 0, inputFrames: Int, into results: Rows, at place: Int = 0, outputCapacity: Int
    ) -> (consumed: Int, produced: Int) {
        unsafe core.value.process(
            rows, from: start, inputFrames: inputFrames, into: results, at: place, outputCapacity: outputCapacity)
    }
}
