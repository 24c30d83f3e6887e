// SPDX-License-Identifier: MIT
import PipeBus
import SeededRandom

/// Reads all lanes of a receiver of separate streams now and then, at times more than there is.
final class UnsteadyReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    private var reader: Reader
    private let rate: Int
    private let lanes: Int
    private var numbers = SeededGenerator(seed: 2)
    private var due = 0.0
    /// Whether it is unsteady, or reads in each cycle what is due.
    var isUnsteady = true
    /// Number of late frames, as the reads say.
    private(set) var lateFrames = 0

    init(_ reader: consuming Reader, rate: Int, lanes: Int) {
        self.reader = reader
        self.rate = rate
        self.lanes = lanes
    }

    var statistics: ReaderStatistics { reader.statistics }

    func run(_ cycle: AudioCycle) {
        due += Double(cycle.frameCount * rate) / Double(cycle.sampleRate)
        if isUnsteady {
            if Int.random(in: 0..<10, using: &numbers) > 0 { return }
            due += Double(Int.random(in: 0...(rate / 50), using: &numbers))
        }
        let count = Int(due)
        guard count > 0 else { return }
        due -= Double(count)
        var samples = [Float](repeating: 0, count: count)
        for lane in 0..<lanes {
            var span = samples.mutableSpan
            lateFrames += reader.read(into: &span, lane: lane, at: cycle.startTime).lateFrames
        }
        reader.endInterval()
    }
}
