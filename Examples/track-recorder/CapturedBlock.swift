// SPDX-License-Identifier: MIT

/// The frames of one cycle in a ``Capture``.
///
/// - Thread: any. A value.
struct CapturedBlock: BitwiseCopyable, Sendable, Equatable {
    /// The stream of the sound. Another number on the same lane is another stream: of another source, or of one that was connected
    /// again.
    var stream: UInt64
    /// The place of the first frame, in frames of the recording's time.
    var position: Int64
    /// Number of frames; 0 if the block only reports dropped frames.
    var frameCount: Int
    /// Number of channels with sound, the first ones of the lane.
    var channelCount: Int
    /// Whether the block follows the previous one directly in the graph's time. Then a gap between their places does
    /// not come from a missed cycle.
    var isContinuation: Bool
    /// Number of frames of the stream between the previous block and this one that the recorder or the source missed
    /// (an xrun); 0 for the first block of a stream.
    var missedFrames: Int
    /// Number of frames of the stream between the previous block and this one that were dropped for lack of room.
    var droppedFrames: Int

    @_noLocks
    init(
        stream: UInt64, position: Int64, frameCount: Int, channelCount: Int,
        isContinuation: Bool = false, missedFrames: Int = 0, droppedFrames: Int = 0
    ) {
        self.stream = stream
        self.position = position
        self.frameCount = frameCount
        self.channelCount = channelCount
        self.isContinuation = isContinuation
        self.missedFrames = missedFrames
        self.droppedFrames = droppedFrames
    }
}
