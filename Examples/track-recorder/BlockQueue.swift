// SPDX-License-Identifier: MIT
import PipeBus

/// The blocks of a capture that are not written yet, lane by lane: those of one lane may wait while others are written.
///
/// - Thread: the writer's.
struct BlockQueue {
    private struct Entry {
        let block: CapturedBlock
        /// Interleaved.
        let samples: [Float]
    }

    private let progress: RecordingProgress
    private let graphRate: Int
    private var placer: BlockPlacer
    /// The largest number of frames of a lane that wait here. The others wait in the capture.
    private let limit: Int
    private var lanes: [Int: ArraySlice<Entry>] = [:]
    private var frames: [Int: Int] = [:]

    init(_ progress: RecordingProgress, limit: Int) {
        self.progress = progress
        graphRate = progress.graphRate
        placer = BlockPlacer(progress.time)
        self.limit = limit
    }

    /// The lanes with blocks, in order.
    var usedLanes: [Int] { lanes.keys.sorted() }

    /// Whether as much of a lane waits here as may.
    var isFull: Bool { frames.values.contains { $0 >= limit } }

    /// Takes blocks of the recording's sample rate from the capture: some, so that they are written in between.
    ///
    /// - Returns: whether the capture may have more.
    mutating func fetch() -> Bool {
        var count = 0
        while count < 1 << 15 {
            if isFull { return true }
            guard let block = progress.capture?.read() else { return false }
            count += block.frameCount
            // Places are counted in one rate of the graph.
            guard block.graphSampleRate == graphRate else { continue }
            var captured = CapturedBlock(block, isAligned: progress.isAligned, graphRate: graphRate)
            placer.place(&captured, lane: block.lane)
            let entry = Entry(block: captured, samples: block.interleaved)
            lanes[block.lane, default: []].append(entry)
            frames[block.lane, default: 0] += block.frameCount
        }
        return true
    }

    /// The lane's oldest block, which stays; `nil` without one.
    func first(lane: Int) -> CapturedBlock? { lanes[lane]?.first?.block }

    /// Removes the lane's oldest block. The lane must have one.
    ///
    /// - Returns: the samples, interleaved.
    mutating func take(lane: Int) -> [Float] {
        guard let entry = lanes[lane]?.popFirst() else { preconditionFailure("no block") }
        frames[lane, default: 0] -= entry.block.frameCount
        if lanes[lane]?.isEmpty == true { lanes[lane] = nil }
        return entry.samples
    }
}
