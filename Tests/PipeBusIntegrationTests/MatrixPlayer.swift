// SPDX-License-Identifier: MIT
import PipeBus

/// A writer of ``NumberedSound`` without a time, in blocks of one size, and what came of it.
final class MatrixPlayer {
    let blockSize: Int
    private var writer: Writer
    private(set) var writtenFrames = 0
    private(set) var heardFrames = 0
    /// Frames of silence in which the lane had the source.
    private(set) var silentFrames = 0
    /// The first thing that was wrong.
    private(set) var fault: String?

    init(_ writer: consuming Writer, blockSize: Int) {
        self.writer = writer
        self.blockSize = blockSize
    }

    var statistics: WriterStatistics { writer.statistics }
    var latency: Latency { writer.latency }

    /// Writes until the buffer is full: a thousand blocks of the size, and the rest in long ones, because a block of a frame
    /// costs as much as a long one.
    func fill() {
        var blocks = 0
        while true {
            let size = blocks < 1000 ? blockSize : StreamMatrix.blockSizes.reduce(0, max)
            blocks += 1
            let block = NumberedSound.stereo.samples(of: 0, from: Int64(writtenFrames), count: size)
            let taken = writer.tryWrite(block.span)
            writtenFrames += taken
            if taken < size { return }
        }
    }

    /// Notes that a block has come: the next frames, or silence.
    func note(_ block: CaptureBlock) {
        guard fault == nil else { return }
        if block[0].first == 0, block[0].allSatisfy({ $0 == 0 }) {
            silentFrames += block.frameCount
            return
        }
        for channel in 0..<2 {
            let matching = NumberedSound.channels[channel].matchingFrames(
                of: 1, in: block[channel], from: Int64(heardFrames))
            if matching < block.frameCount {
                fault = "frame \(heardFrames + matching) is another one, \(matching) in a block of \(block.frameCount)"
            }
        }
        heardFrames += block.frameCount
    }
}
