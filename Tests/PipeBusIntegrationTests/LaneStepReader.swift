// SPDX-License-Identifier: MIT
import PipeBus
import SeededRandom

/// Reads two lanes of one signal at the pace of a second clock, the second lane in parts, and compares them to the bit.
final class LaneStepReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    private var reader: Reader
    private let pace: Double
    private let jitter: Double
    private let interval: Int
    private var numbers = SeededGenerator(seed: 4)
    private var due = 0.0
    private var first: [Float]
    private var second: [Float]
    /// Number of intervals since one that was not whole on both lanes.
    private var wholeIntervals = 0
    private(set) var comparedFrames = 0
    private(set) var differentFrames = 0

    /// - Parameters:
    ///   - rate: of the reader, in hertz. The graph has 48 kHz.
    ///   - offset: of the second clock, relative.
    ///   - jitter: of the times that are given, in seconds.
    init(_ reader: consuming Reader, rate: Int, offset: Double, jitter: Double) {
        self.reader = reader
        pace = Double(rate) / 48_000 * (1 + offset)
        self.jitter = jitter
        interval = rate / 100
        first = Array(repeating: 0, count: interval)
        second = first
    }

    var isLocked: Bool { reader.isLocked }

    func run(_ cycle: AudioCycle) {
        due += Double(cycle.frameCount) * pace
        while due >= Double(interval) {
            due -= Double(interval)
            let late = UInt64(Double.random(in: 0...1, using: &numbers) * jitter * 1e9)
            readInterval(at: MonotonicTime(nanoseconds: cycle.startTime.nanoseconds + late))
        }
    }

    private func readInterval(at time: MonotonicTime) {
        var span = first.mutableSpan
        let result = reader.read(into: &span, lane: 0, at: time)
        var isWhole = result.hasSound && result.lateFrames == 0
        var position = 0
        while position < interval {
            var part = [Float](repeating: 0, count: Int.random(in: 1...(interval - position), using: &numbers))
            var span = part.mutableSpan
            let result = reader.read(into: &span, lane: 1, at: time)
            // A few frames may come of what the resampler has taken before.
            if !result.hasSound && part.count > 8 || result.lateFrames > 0 { isWhole = false }
            for frame in part.indices { second[position + frame] = part[frame] }
            position += part.count
        }
        reader.endInterval()
        wholeIntervals = isWhole ? wholeIntervals + 1 : 0
        // The resampler has only this sound in it then.
        guard wholeIntervals > 20 else { return }
        comparedFrames += interval
        for frame in first.indices where first[frame] != second[frame] { differentFrames += 1 }
    }
}
