// SPDX-License-Identifier: MIT
import PipeBus

/// A reader of ``NumberedSound`` that asks for blocks of one size at the graph's pace, of the mix or of each lane.
final class MatrixReader: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    let blockSize: Int
    private var reader: Reader
    /// 0 for the mix.
    private let laneCount: Int
    private var samples: [Float]
    private var due = 0
    /// What came on each lane.
    private var heard: [HeardFrames]
    private var ownFault: String?
    private(set) var lateFrames = 0

    init(_ reader: consuming Reader, blockSize: Int, laneCount: Int = 0) {
        self.reader = reader
        self.blockSize = blockSize
        self.laneCount = laneCount
        heard = Array(repeating: HeardFrames(.stereo), count: max(laneCount, 1))
        samples = Array(repeating: 0, count: 2 * blockSize)
    }

    var statistics: ReaderStatistics { reader.statistics }
    var latency: Latency { reader.latency }
    /// The first thing that was wrong.
    var fault: String? { ownFault ?? heard.lazy.compactMap(\.fault).first }
    /// Number of frames of each source.
    var heardFrames: [Int] {
        (0..<NumberedSound.sourceCount).map { source in heard.reduce(0) { $0 + $1.counts[source] } }
    }

    /// Reads as many blocks as a cycle lasts.
    func run(_ cycle: AudioCycle) {
        due += cycle.frameCount
        while due >= blockSize {
            due -= blockSize
            if laneCount == 0 {
                _ = read(lane: nil, at: cycle.startTime)
            } else {
                readLanes(at: cycle.startTime)
            }
        }
    }

    private func readLanes(at time: MonotonicTime) {
        var first: Int64?
        for lane in 0..<laneCount {
            let result = read(lane: lane, at: time)
            guard result.hasSound else { continue }
            let position = result.timestamp.position
            if let first, first != position {
                ownFault = ownFault ?? "lane \(lane) is at \(position), another at \(first)"
            }
            first = first ?? position
        }
        reader.endInterval()
    }

    private func read(lane: Int?, at time: MonotonicTime) -> ReadResult {
        var span = samples.mutableSpan
        let result: ReadResult
        if let lane {
            result = reader.read(into: &span, lane: lane, at: time)
        } else {
            result = reader.read(into: &span, at: time)
        }
        if result.frameCount != blockSize { ownFault = ownFault ?? "\(result.frameCount) frames of \(blockSize)" }
        lateFrames += result.lateFrames
        heard[lane ?? 0].note(samples[...], from: Int64(result.timestamp.position))
        return result
    }
}
