// SPDX-License-Identifier: MIT

/// Frames of one cycle on their way from the audio thread, and what they are.
///
/// - Thread: any. A value.
package struct CapturedBlock: Sendable, Equatable {
    /// Whose sound it is: another number on the same lane is another stream.
    package var stream: UInt64
    /// The source's serial in the graph; whatever its writer likes.
    package var source: UInt64
    /// Where its first frame belongs.
    package var position: Int64
    /// 0 if it only tells what was dropped.
    package var frameCount: Int
    /// Channels that hold something, the first ones of the lane.
    package var channelCount: Int
    /// It comes right behind the block before, as the graph counts: if it belongs elsewhere, that is why.
    package var isContinuation: Bool
    /// Frames of the stream between the block before and this one that the graph went on with alone. Before the first
    /// block of a stream none are its own.
    package var missedFrames: Int
    /// Frames of the stream between the block before and this one that came and found no room.
    package var droppedFrames: Int

    @_noLocks
    package init(
        stream: UInt64, source: UInt64 = 0, position: Int64, frameCount: Int, channelCount: Int,
        isContinuation: Bool = false, missedFrames: Int = 0, droppedFrames: Int = 0
    ) {
        self.stream = stream
        self.source = source
        self.position = position
        self.frameCount = frameCount
        self.channelCount = channelCount
        self.isContinuation = isContinuation
        self.missedFrames = missedFrames
        self.droppedFrames = droppedFrames
    }
}
