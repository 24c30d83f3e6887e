// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

/// A ``Resampler`` without its memory.
///
/// A struct of plain values: the audio thread's state may hold it in an optional, which it may not a noncopyable type.
///
/// - Thread: any, one at a time.
/// - Realtime: safe.
@safe struct ResamplerCore: BitwiseCopyable {
    /// The longest piece of a conversion, in frames.
    static var piece: Int { @_noLocks get { 512 } }
    /// Number of frames of output between two steps of a ratio that moves.
    ///
    /// The steps follow from the frames of output alone. libsamplerate's own way of moving follows from the pieces in which the
    /// input comes, so two resamplers that are given the same ratios would go different ways.
    private static var stepLength: Int { @_noLocks get { 16 } }
    /// The longest way to another ratio, in frames of output.
    private static var longestMove: Int { @_noLocks get { 512 } }

    let channelCount: Int
    /// The largest relative change of the ratio.
    let deviation: Double
    private(set) var minimumRatio: Double
    private(set) var maximumRatio: Double
    /// libsamplerate's, and interleaved frames for it, ``piece`` at most. One channel needs none.
    let state: OpaquePointer
    let input: UnsafeMutablePointer<UnsafeMutableRawPointer>
    let output: UnsafeMutablePointer<UnsafeMutableRawPointer>
    let reach: FilterReach

    /// Output rate over input rate, as it is now, and as it is to be.
    private(set) var ratio: Double
    private(set) var target: Double
    /// A step of the ratio, how many are to come, and the number of frames of output before the next one.
    private var step = 0.0
    private var stepsLeft = 0
    private var framesToStep = 0
    /// Number of frames of output since another ratio was set, up to ``longestMove``.
    private var framesSinceSet: Int
    /// The time of the next frame of output, counted in frames from the next frame of input. Usually negative.
    var phase = 0.0

    /// - Parameters:
    ///   - state: libsamplerate's.
    ///   - input: interleaved frames for it.
    ///   - output: the same.
    @_noLocks
    init(
        channelCount: Int, ratio: Double, deviation: Double, state: OpaquePointer,
        input: UnsafeMutablePointer<UnsafeMutableRawPointer>, output: UnsafeMutablePointer<UnsafeMutableRawPointer>,
        reach: FilterReach
    ) {
        self.channelCount = channelCount
        self.deviation = deviation
        minimumRatio = ratio * (1 - deviation)
        maximumRatio = ratio * (1 + deviation)
        unsafe self.state = unsafe state
        unsafe self.input = unsafe input
        unsafe self.output = unsafe output
        self.reach = reach
        self.ratio = ratio
        target = ratio
        framesSinceSet = Self.longestMove
    }

    /// The nearest ratio that libsamplerate has, with every deviation: 1/200…200. The graph's rate may be any number.
    @_noLocks
    static func bounded(_ ratio: Double) -> Double { ratio >= 1.0 / 200 ? min(ratio, 200) : 1.0 / 200 }

    // The calls of `Resampler`, which describes them.

    var delay: Int { @_noLocks get { reach.frames(atRatio: min(ratio, target)).most } }
    var lead: Double { @_noLocks get { -phase } }

    @_noLocks
    mutating func setRatio(_ ratio: Double) {
        guard !ratio.isNaN else { return }
        let wanted = max(minimumRatio, min(ratio, maximumRatio))
        guard wanted != target else { return }
        target = wanted
        // As long as the ratio before was wanted: ratios that come regularly are joined by lines.
        stepsLeft = max(framesSinceSet / Self.stepLength, 1)
        step = (target - self.ratio) / Double(stepsLeft)
        framesToStep = 0
        framesSinceSet = 0
    }

    /// Begins again with another ratio, which later changes start from. Forgets all input.
    ///
    /// - Parameter ratio: output rate over input rate, 1/200…200; clamped.
    @_noLocks
    mutating func retune(to ratio: Double) {
        let ratio = Self.bounded(ratio)
        minimumRatio = ratio * (1 - deviation)
        maximumRatio = ratio * (1 + deviation)
        target = ratio
        reset()
    }

    @_noLocks
    mutating func reset() {
        ratio = target
        stepsLeft = 0
        framesSinceSet = Self.longestMove
        phase = 0
        unsafe cac_resampler_reset(state, ratio)
    }

    @_noLocks
    func inputFramesNeeded(forOutput count: Int) -> (least: Int, most: Int) {
        guard count > 0 else { return (0, 0) }
        // On the way from one ratio to the other it may be any in between.
        let (lower, higher) = (min(ratio, target), max(ratio, target))
        // Rounding may put a frame that is due at a frame of input before or behind it.
        let tolerance = 1e-6
        let first = floor(phase + Double(count - 1) / higher - tolerance)
        let last = floor(phase + Double(count - 1) / lower + tolerance)
        let least = reach.frames(atRatio: higher).least + 1 + first
        return (max(0, least), max(0, reach.frames(atRatio: lower).most + 1 + last))
    }

    @_noLocks
    private func floor(_ value: Double) -> Int {
        let whole = Int(value)
        return Double(whole) > value ? whole - 1 : whole
    }

    @_noLocks
    mutating func process(
        _ rows: Rows, from start: Int = 0, inputFrames: Int, into results: Rows, at place: Int = 0, outputCapacity: Int
    ) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        // Should the filter of another version reach further than was worked out, it gets a frame more, instead of none for ever.
        var extra = 0
        while produced < outputCapacity {
            var planned = min(outputCapacity - produced, longestPlan)
            let wanted = inputFramesNeeded(forOutput: planned).most
            let given = min(max(wanted, extra), min(inputFrames - consumed, Self.piece))
            if given < wanted { planned = min(planned, likelyOutput(of: given)) }
            let (taken, made) = unsafe convert(
                rows, from: start + consumed, given, into: results, at: place + produced, planned)
            consumed += taken
            produced += made
            if made < planned && consumed == inputFrames || made == 0 && taken == 0 && extra == 1 { break }
            extra = made == 0 && taken == 0 ? 1 : 0
        }
        return (consumed, produced)
    }

    /// About as many frames as come of so many, and at least one.
    @_noLocks
    private func likelyOutput(of inputFrames: Int) -> Int {
        let ahead = Double(inputFrames - delay) - phase
        return ahead > 0 ? Int(ahead * max(ratio, target)) + 1 : 1
    }

    /// One piece.
    @_noLocks
    private mutating func convert(
        _ rows: Rows, from start: Int, _ inputFrames: Int, into results: Rows, at place: Int, _ outputFrames: Int
    ) -> (taken: Int, made: Int) {
        let isMono = channelCount == 1
        let source =
            unsafe isMono ? rows[0].unsafelyUnwrapped + start : input.pointee.assumingMemoryBound(to: Float.self)
        let destination =
            unsafe isMono ? results[0].unsafelyUnwrapped + place : output.pointee.assumingMemoryBound(to: Float.self)
        if !isMono && inputFrames > 0 {
            var interleaved = unsafe samples(at: input)
            unsafe cac_store(&interleaved, rows, UInt32(start), UInt32(inputFrames), nil)
        }
        let isStep = stepsLeft > 0 && framesToStep == 0
        let next = !isStep ? ratio : stepsLeft == 1 ? target : ratio + step
        var conversion = unsafe cac_conversion(
            input: source, output: destination, input_frames: UInt32(inputFrames), output_frames: UInt32(outputFrames),
            ratio: next)
        unsafe cac_resampler_process(state, &conversion)
        let (taken, made) = unsafe (conversion.input_frames, conversion.output_frames)
        if made > 0 {
            // Without a frame the step is not taken: another ratio may be set before there is one.
            if isStep { (ratio, stepsLeft, framesToStep) = (next, stepsLeft - 1, Self.stepLength) }
            framesToStep = max(framesToStep - Int(made), 0)
            framesSinceSet = min(framesSinceSet + Int(made), Self.longestMove)
            phase += Double(made) / ratio
        }
        if !isMono && made > 0 {
            var interleaved = unsafe samples(at: output)
            unsafe cac_load(results, UInt32(place), &interleaved, made)
        }
        phase -= Double(taken)
        return (Int(taken), Int(made))
    }

    /// The most frames of output that have one ratio.
    private var longestPlan: Int {
        @_noLocks get {
            guard stepsLeft > 0 else { return Self.piece }
            return framesToStep > 0 ? framesToStep : Self.stepLength
        }
    }

    @_noLocks
    private func samples(at plane: UnsafeMutablePointer<UnsafeMutableRawPointer>) -> cac_samples {
        unsafe cac_samples(
            planes: plane, first: 0, channel_count: UInt32(channelCount), format: cac_float32, is_interleaved: true)
    }
}
