// SPDX-License-Identifier: MIT
import PipeBus

extension MultiStreamOutput {
    /// Reads each of two inputs by itself, in blocks of 480 frames, until nothing comes. The samples behind those of the result mean nothing.
    ///
    /// - Parameters:
    ///   - now: in seconds.
    ///   - body: the input's index, the samples, the result.
    mutating func readAll(at now: Double, _ body: (Int, [Float], MultiStreamResult) -> Void) {
        var samples = [Float](repeating: 0, count: 480)
        var count = 1
        while count > 0 {
            for input in 0..<2 {
                var span = samples.mutableSpan
                let result = read(into: &span, input: input, at: RampInput.time(now))
                count = result.frameCount
                body(input, samples, result)
            }
            endInterval()
        }
    }
}
