// SPDX-License-Identifier: MIT
import PipeBus

/// A capture of ``NumberedSound`` that is read in blocks of one size, and compared with what came.
final class MatrixCapture {
    let blockSize: Int
    private let capture: Capture
    private let log: PresenceLog
    /// What came on each channel of each lane.
    private var heard: [[HeardFrames]]
    /// Where the last block of each source ended.
    private var ends: [Source: Int64] = [:]
    private var ownFault: String?
    private(set) var frames = 0
    private(set) var droppedFrames = 0
    private(set) var missedFrames = 0

    private struct Source: Hashable {
        let lane: Int
        let generation: UInt64
    }

    init(_ capture: Capture, blockSize: Int, laneCount: Int, _ log: PresenceLog) {
        self.capture = capture
        self.blockSize = blockSize
        self.log = log
        heard = Array(repeating: NumberedSound.channels.map { HeardFrames($0) }, count: laneCount)
    }

    /// The first thing that was wrong.
    var fault: String? { ownFault ?? heard.joined().lazy.compactMap(\.fault).first }
    /// Number of frames of each source.
    var heardFrames: [Int] {
        (0..<NumberedSound.sourceCount).map { source in heard.reduce(0) { $0 + $1[0].counts[source] } }
    }

    /// Reads all that is there: a thousand blocks of the size, and the rest in long ones, because a block of a frame costs as
    /// much as a long one.
    func readAll() {
        var blocks = 0
        while let block = capture.read(upTo: blocks < 1000 ? blockSize : StreamMatrix.blockSizes.reduce(0, max)) {
            blocks += 1
            check(block)
            frames += block.frameCount
            droppedFrames += block.droppedFrames
            missedFrames += block.missedFrames
            guard block.frameCount > 0 else { continue }
            for channel in 0..<2 {
                heard[block.lane][channel].note(block[channel], from: Int64(block.timestamp.position))
            }
        }
    }

    /// A gap is where it is said to be, and as long.
    private func check(_ block: CaptureBlock) {
        let key = Source(lane: block.lane, generation: block.sourceGeneration)
        let position = Int64(block.timestamp.position)
        defer { ends[key] = position + Int64(block.frameCount) }
        guard let end = ends[key] else {
            if block.isContinuation { ownFault = ownFault ?? "nothing is before a continuation at \(position)" }
            return
        }
        let gap = position - end
        guard gap >= 0 else {
            ownFault = ownFault ?? "\(position) comes after \(end)"
            return
        }
        let lost = log.frameCount(lane: block.lane, in: end..<max(position, end))
        // A report without frames is at the first dropped one.
        if block.frameCount > 0, lost != block.droppedFrames {
            ownFault = ownFault ?? "\(lost) frames are missing at \(position), and \(block.droppedFrames) counted"
        }
        if block.isContinuation != (gap == 0) {
            ownFault = ownFault ?? "a gap of \(gap), continuation \(block.isContinuation), at \(position)"
        }
        if block.missedFrames > 0, gap != Int64(block.missedFrames + block.droppedFrames) {
            ownFault = ownFault ?? "a gap of \(gap) at \(position), \(block.missedFrames) frames missed"
        }
    }
}
