// SPDX-License-Identifier: MIT
import PipeBus

/// Writes an input of a multi-stream whose sound tells when it was made, modulo 16 seconds.
final class RampInput {
    var input: MultiStreamInput
    var isSilent = false
    /// What is added to the times that are told.
    var shift = 0.0
    private let start: Double
    private let rate: Int
    private let block: Int
    private var written = 0

    init(_ input: consuming MultiStreamInput, rate: Int, block: Int, start: Double) {
        self.input = input
        self.rate = rate
        self.block = block
        self.start = start
    }

    static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9 + 0.5)) }

    static func sound(at seconds: Double) -> Float { Float(0.1 + seconds.truncatingRemainder(dividingBy: 16) / 32) }

    /// The time at which a sample was made, less another time, in −8…8 seconds; `nil` of silence.
    static func lateness(of sample: Float, after seconds: Double) -> Double? {
        guard sample != 0 else { return nil }
        return ((Double(sample) - 0.1) * 32 - seconds).remainder(dividingBy: 16)
    }

    /// Writes the blocks that end until a time.
    func run(until end: Double) {
        while start + Double(written + block) / Double(rate) <= end + 1e-9 {
            let first = start + Double(written) / Double(rate)
            if !isSilent {
                let samples = (0..<block).map { Self.sound(at: first + Double($0) / Double(rate)) }
                input.write(samples.span, madeAt: Self.time(first + shift))
            }
            written += block
        }
    }
}
