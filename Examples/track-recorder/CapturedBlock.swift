// SPDX-License-Identifier: MIT

/// Describes the frames of one cycle that a ``Capture`` carries.
///
/// - Thread: any. A value.
struct CapturedBlock: BitwiseCopyable, Sendable, Equatable {
    /// The stream of the sound: another number on the same lane is another stream.
    var stream: UInt64
    /// The source's serial in the graph; 0 for the mix.
    var source: UInt64
    /// The place of the first frame, in frames of the recording's time.
    var position: Int64
    /// 0 if the block only reports frames that were dropped.
    var frameCount: Int
    /// Channels that hold something, the first ones of the lane.
    var channelCount: Int
    /// The block follows the one before directly in the graph's time: a gap between their places has another reason than
    /// a missed cycle.
    var isContinuation: Bool
    /// Frames of the stream between the block before and this one in which the graph went on without the recorder or the
    /// source; 0 for the first block of a stream.
    var missedFrames: Int
    /// Frames of the stream between the block before and this one that came and found no room.
    var droppedFrames: Int

    @_noLocks
    init(
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
