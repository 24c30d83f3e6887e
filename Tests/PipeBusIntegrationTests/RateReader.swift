// SPDX-License-Identifier: MIT
import PipeBus

/// A reader of mono sound in blocks of one size, at a rate of its own and the graph's pace.
final class RateReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    let blockSize: Int
    private let rate: Int
    private var reader: Reader
    private var samples: [Float]
    /// Frames that are due, times the graph's rate.
    private var due = 0
    /// The time of the first read that goes on to this one, and the number of frames since.
    private var start: UInt64?
    private var frames = 0
    /// Number of frames of more than a quarter of full scale.
    private(set) var loudFrames = 0
    /// The first thing that was wrong.
    private(set) var fault: String?

    init(_ reader: consuming Reader, blockSize: Int, rate: Int) {
        self.reader = reader
        self.blockSize = blockSize
        self.rate = rate
        samples = Array(repeating: 0, count: blockSize)
    }

    var statistics: ReaderStatistics { reader.statistics }

    func run(_ cycle: AudioCycle) {
        due += cycle.frameCount * rate
        while due >= blockSize * cycle.sampleRate {
            due -= blockSize * cycle.sampleRate
            var span = samples.mutableSpan
            let result = reader.read(into: &span, at: cycle.startTime)
            for sample in samples where sample > 0.25 { loudFrames += 1 }
            guard result.hasSound else {
                start = nil
                continue
            }
            let time = result.timestamp.time.nanoseconds
            if let start {
                let expected = start + UInt64(frames) * 1_000_000_000 / UInt64(rate)
                let difference = Int64(bitPattern: time &- expected)
                if difference.magnitude > 100 { fault = fault ?? "off by \(difference) ns after \(frames) frames" }
            } else {
                (start, frames) = (time, 0)
            }
            frames += blockSize
        }
    }
}
