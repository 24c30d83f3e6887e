// SPDX-License-Identifier: MIT
import PipeBus

/// The frames of one cycle in a recording.
///
/// - Thread: any. A value.
struct CapturedBlock: Sendable, Equatable {
    /// The stream of the sound. Another number on the same lane is another stream: of another source, or of one that was connected
    /// again.
    var stream: UInt64
    /// The place of the first frame, in frames of the recording's time.
    var position: Int64
    /// Number of frames; 0 if the block only reports dropped frames.
    var frameCount: Int
    /// Number of channels with sound.
    var channelCount: Int
    /// Whether the block follows the previous one directly in the graph's time. Then a gap between their places does
    /// not come from a missed cycle.
    var isContinuation = false
    /// Number of frames of the stream between the previous block and this one that the recorder or the source missed
    /// (an xrun); 0 for the first block of a stream.
    var missedFrames = 0
    /// Number of frames of the stream between the previous block and this one that were dropped for lack of room.
    var droppedFrames = 0
    /// The time of the first frame on the system's monotonic clock, in nanoseconds.
    var nanoseconds: UInt64 = 0
}

extension CapturedBlock {
    /// No source is older than a minute, whatever it says, because the recording waits for late sound. In frames.
    static func longestAge(_ sampleRate: Int) -> Int { 60 * sampleRate }

    /// Creates a block whose place is a position of the graph.
    ///
    /// - Parameters:
    ///   - isAligned: whether sound is placed at the time at which it was made; otherwise at its arrival.
    ///   - graphRate: the graph's sample rate, in hertz.
    init(_ block: CaptureBlock, isAligned: Bool, graphRate: Int) {
        let age = block.age.frames
        let isBelievable = isAligned && age <= Self.longestAge(graphRate)
        self.init(
            stream: block.sourceGeneration,
            position: isBelievable ? block.timestamp.position : block.timestamp.position &+ Int64(age),
            frameCount: block.frameCount, channelCount: block.channelCount, isContinuation: block.isContinuation,
            missedFrames: block.missedFrames, droppedFrames: block.droppedFrames,
            nanoseconds: block.timestamp.time.nanoseconds
                &+ (isBelievable ? 0 : UInt64(block.age.duration / .nanoseconds(1))))
    }
}
