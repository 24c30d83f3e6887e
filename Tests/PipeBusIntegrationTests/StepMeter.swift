// SPDX-License-Identifier: MIT
import PipeBus

/// Reads both inputs of a multi-stream, which send one sawtooth by the graph's time, and measures by how much they differ.
final class StepMeter {
    /// Number of frames of the sawtooth, from 0 to 1.
    static let period = 1 << 16
    /// Around its jump a resampler rings.
    private static let margin: Float = 300 / Float(period)

    private var output: MultiStreamOutput
    private var first = [Float](repeating: 0, count: 2048)
    private var second = [Float](repeating: 0, count: 2048)

    /// Frames with the sound of the first input; and of both, steady for a while: fades at gaps are neither early nor late.
    private(set) var heardFrames = 0
    private(set) var comparedFrames = 0
    /// The largest difference, in frames.
    private(set) var worst = 0.0
    /// Whether both inputs gave as many frames each time.
    private(set) var areEven = true
    /// Number of frames for which both have risen with the time, and the last ones.
    private var steadyFrames = 0
    private var last: (Float, Float) = (0, 0)

    init(_ output: consuming MultiStreamOutput) { self.output = output }

    func forget() { (heardFrames, comparedFrames, worst) = (0, 0, 0) }

    /// Reads all that is there.
    func read() {
        while true {
            var span = first.mutableSpan
            let count = output.read(into: &span, input: 0).frameCount
            span = second.mutableSpan
            let other = output.read(into: &span, input: 1).frameCount
            output.endInterval()
            guard count > 0 else { return }
            if other != count { areEven = false }
            for frame in 0..<count { compare(first[frame], second[frame]) }
        }
    }

    private func compare(_ first: Float, _ second: Float) {
        let steps = ((first - last.0) * Float(Self.period), (second - last.1) * Float(Self.period))
        last = (first, second)
        steadyFrames = abs(steps.0 - 1) < 0.5 && abs(steps.1 - 1) < 0.5 ? steadyFrames + 1 : 0
        if first != 0 { heardFrames += 1 }
        guard steadyFrames > 500, first > Self.margin, first < 1 - Self.margin else { return }
        comparedFrames += 1
        worst = max(worst, Double(abs(first - second)) * Double(Self.period))
    }
}
