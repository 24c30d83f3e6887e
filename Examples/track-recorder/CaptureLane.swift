// SPDX-License-Identifier: MIT
import RealtimeKit

/// The writing side of one lane of a ``Capture``: a ring for the samples, and a queue for the blocks that describe them.
///
/// A struct, so that the audio thread reaches it through a plain pointer.
struct CaptureLane: ~Copyable {
    private var samples: SampleRing.Writer
    private var blocks: EventQueue<CapturedBlock>.Writer
    /// The block that is being written.
    private var begun = CapturedBlock(stream: 0, position: 0, frameCount: 0, channelCount: 0)
    /// The report of the frames dropped since the newest written block; it has no frames itself.
    private(set) var pending: CapturedBlock?
    /// The stream of the newest frames, dropped or not.
    private var newestStream: UInt64 = 0

    init(_ samples: consuming SampleRing.Writer, _ blocks: consuming EventQueue<CapturedBlock>.Writer) {
        self.samples = samples
        self.blocks = blocks
    }

    @_noLocks
    mutating func begin(_ given: CapturedBlock) -> Bool {
        var block = given
        if block.stream != newestStream {
            newestStream = block.stream
            block.isContinuation = false
            block.missedFrames = 0
        }
        if let lost = pending, lost.stream != block.stream, blocks.trySend(lost) {
            // The dropped frames of another stream are reported as its own.
            pending = nil
        }
        let isOther = if let lost = pending { lost.stream != block.stream } else { false }
        guard !isOther, blocks.writableEvents > 0, block.frameCount <= samples.writableFrames else {
            drop(block)
            return false
        }
        if let lost = pending {
            block.isContinuation = false
            block.missedFrames &+= lost.missedFrames
            block.droppedFrames &+= lost.droppedFrames
            pending = nil
        }
        begun = block
        return true
    }

    @_noLocks
    private mutating func drop(_ block: CapturedBlock) {
        var lost = block
        lost.frameCount = 0
        if let before = pending {
            lost = before
            lost.missedFrames &+= block.missedFrames
        }
        lost.droppedFrames &+= block.frameCount
        pending = lost
    }

    @_noLocks
    mutating func fill(channel: Int, with span: Span<Float>) {
        // Copied first, because a precondition's condition is a closure and would retain its captures.
        let (wanted, channels, given) = (begun.frameCount, begun.channelCount, span.count)
        precondition(given == wanted && channel >= 0 && channel < channels, "this is not what was begun")
        samples.fill(channel: channel, with: span)
    }

    @_noLocks
    mutating func end() {
        // The samples first: a reader that has the block finds them.
        samples.commit(frameCount: begun.frameCount)
        let isSent = blocks.trySend(begun)
        precondition(isSent, "no block was begun")
        begun.frameCount = 0
    }
}
