// SPDX-License-Identifier: MIT
import PipeBus

/// Reads two lanes of a receiver of separate streams for intervals of a tenth of a second, each in parts of its own, at the graph's
/// pace.
final class PartsReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    private var reader: Reader
    private let rate: Int
    /// The lengths of the parts of each lane, in frames of the reader. The longest sum is a tenth of a second.
    private let parts: [[Int]]
    /// Frames that are due, times the graph's rate.
    private var due = 0
    private(set) var intervals = 0
    /// Number of late frames since the last call of ``forget()``, as the reads say.
    private(set) var lateFrames = 0
    private(set) var silentReads = 0
    /// The age of the last interval's first frame, in nanoseconds.
    private(set) var age: Int64 = 0

    init(_ reader: consuming Reader, rate: Int, parts: [[Int]]) {
        self.reader = reader
        self.rate = rate
        self.parts = parts
    }

    var statistics: ReaderStatistics { reader.statistics }
    var latency: Latency { reader.latency }

    func forget() { (lateFrames, silentReads) = (0, 0) }

    func run(_ cycle: AudioCycle) {
        due += cycle.frameCount * rate
        while due >= rate / 10 * cycle.sampleRate {
            due -= rate / 10 * cycle.sampleRate
            for lane in parts.indices {
                for (index, count) in parts[lane].enumerated() {
                    var samples = [Float](repeating: 0, count: count)
                    var span = samples.mutableSpan
                    let result = reader.read(into: &span, lane: lane, at: cycle.startTime)
                    lateFrames += result.lateFrames
                    if !result.hasSound { silentReads += 1 }
                    guard lane == 0, index == 0 else { continue }
                    age = Int64(cycle.startTime.nanoseconds) - Int64(result.timestamp.time.nanoseconds)
                }
            }
            reader.endInterval()
            intervals += 1
        }
    }
}
