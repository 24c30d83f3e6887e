// SPDX-License-Identifier: MIT
import PipeBus

/// A writer of live ``NumberedSound``, in blocks of one size at the graph's pace, and what came of it. A frame's number is the
/// position on the graph's clock at which it is made.
final class LiveMatrixWriter: @unchecked Sendable {
    // @unchecked: one thread uses it at a time: the block's, then the test's.
    let blockSize: Int
    let liveLatency: Int
    private var writer: Writer
    private var next: Int64?
    /// Frames that were written while the port was connected.
    private var kept: [Range<Int64>] = []
    /// Number of frames that were written while it was not.
    private(set) var unheardFrames = 0
    /// Number of frames of those that were kept at whose time the lane had the source.
    private(set) var heardFrames = 0
    /// The first thing that was wrong.
    private(set) var fault: String?
    /// The connection of the last block, and the number of blocks of it.
    private var lane = -1
    private var generation: UInt64 = 0
    private var cycles = 0
    /// Whether the last block was silent where sound was due.
    private var isSilent = false
    /// Number of frames since sound began, and since it ended.
    private var soundFrames = 0
    private var silentFrames = 0
    private static let fadeLength = 240

    init(_ writer: consuming Writer, blockSize: Int, liveLatency: Int) {
        self.writer = writer
        self.blockSize = blockSize
        self.liveLatency = liveLatency
    }

    var statistics: WriterStatistics { writer.statistics }
    var keptFrames: Int { kept.reduce(0) { $0 + $1.count } }

    /// Writes all blocks that were made before a cycle.
    func run(_ cycle: AudioCycle) {
        let end = Int64(cycle.position)
        var start = next ?? end
        while start + Int64(blockSize) <= end {
            let block = NumberedSound.stereo.samples(of: 0, from: start, count: blockSize)
            let age = UInt64(end - start) * 1_000_000_000 / UInt64(cycle.sampleRate)
            let dropped = writer.statistics.droppedFrames
            let taken = writer.tryWrite(
                block.span, madeAt: MonotonicTime(nanoseconds: cycle.startTime.nanoseconds - age))
            if taken < blockSize { fault = fault ?? "\(taken) of \(blockSize) frames were taken" }
            if writer.statistics.droppedFrames > dropped {
                unheardFrames += blockSize
            } else if let last = kept.last, last.upperBound == start {
                kept[kept.count - 1] = last.lowerBound..<(start + Int64(blockSize))
            } else {
                kept.append(start..<(start + Int64(blockSize)))
            }
            start += Int64(blockSize)
        }
        next = start
    }

    /// Notes that a block has come. Sound fades in where it begins, and decays where it ends.
    func note(_ block: CaptureBlock) {
        let start = Int64(block.timestamp.position)
        let keptFrames = keptFrames(in: start..<start + Int64(block.frameCount))
        if block.lane != lane || block.sourceGeneration != generation {
            (lane, generation, cycles) = (block.lane, block.sourceGeneration, 0)
            (isSilent, soundFrames, silentFrames) = (false, 0, 0)
        }
        cycles += 1
        // In its first and last cycles a source may be silent, while its links are made and removed.
        if isSilent { fault = fault ?? "silence before \(start)" }
        if keptFrames > 0, block[0].allSatisfy({ $0 == 0 }) {
            isSilent = cycles > 2
        } else if keptFrames == block.frameCount, soundFrames >= Self.fadeLength {
            let matching = NumberedSound.channels[0].matchingFrames(of: 1, in: block[0], from: start)
            if matching < block.frameCount { fault = fault ?? "frame \(start + Int64(matching)) is another one" }
            heardFrames += keptFrames
        } else {
            for (index, sample) in block[0].enumerated() { note(sample, start + Int64(index)) }
        }
    }

    private func note(_ sample: Float, _ frame: Int64) {
        if keptFrames(in: frame..<frame + 1) > 0 {
            (soundFrames, silentFrames) = (soundFrames + 1, 0)
            heardFrames += 1
            let expected = NumberedSound.channels[0].samples(of: 0, from: frame, count: 1)
            if soundFrames > Self.fadeLength, expected.first != sample {
                fault = fault ?? "frame \(frame) is \(sample)"
            }
        } else {
            (soundFrames, silentFrames) = (0, silentFrames + 1)
            if silentFrames > Self.fadeLength, sample != 0 {
                fault = fault ?? "\(sample) is sound of nowhere, at \(frame)"
            }
        }
    }

    private func keptFrames(in range: Range<Int64>) -> Int { kept.reduce(0) { $0 + $1.clamped(to: range).count } }
}
