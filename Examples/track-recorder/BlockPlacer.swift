// SPDX-License-Identifier: MIT

/// Puts the blocks of a recording with a sample rate of its own at their places: each that goes on directly after the one before,
/// so that rounding drops and doubles no frame.
///
/// - Thread: the writer's.
struct BlockPlacer {
    private let time: RecordingTime
    /// The end of each lane's last block.
    private var ends: [Int: (stream: UInt64, end: Int64)] = [:]

    init(_ time: RecordingTime) { self.time = time }

    /// Converts a block's place, and its numbers of missed and dropped frames, which are those of the graph.
    mutating func place(_ block: inout CapturedBlock, lane: Int) {
        guard time.rounding > 0 else { return }
        block.position = time.place(of: block.position)
        let isWhole = block.missedFrames == 0 && block.droppedFrames == 0
        block.missedFrames = time.frames(block.missedFrames)
        block.droppedFrames = time.frames(block.droppedFrames)
        guard block.frameCount > 0 else { return }
        if let last = ends[lane], last.stream == block.stream {
            let gap = Track.distance(from: last.end, to: block.position)
            if block.isContinuation {
                // What its source missed is silent in the blocks before, and leaves no gap.
                if abs(gap) <= time.rounding { block.position = last.end }
            } else if !isWhole {
                // What is missing is the whole gap, and not one frame less.
                let rest = gap - Track.clamped(block.missedFrames) - Track.clamped(block.droppedFrames)
                if abs(rest) > time.rounding {
                    // Other silence is in the gap too.
                } else if block.droppedFrames > 0 {
                    block.droppedFrames = max(block.droppedFrames + rest, 0)
                } else {
                    block.missedFrames = max(block.missedFrames + rest, 0)
                }
            }
        }
        ends[lane] = (block.stream, block.position &+ Int64(block.frameCount))
    }
}
