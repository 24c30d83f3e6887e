// SPDX-License-Identifier: MIT

/// The figures of one track.
struct TrackFigures: Sendable {
    /// The name of the source, for people.
    var title = ""
    /// The file's name without its folder; `nil` without a file.
    var file: String?
    /// Whether an earlier file was left as it was, because no sound came.
    var hasLeftFile = false
    var channelCount = 0
    /// Number of frames in the file.
    var frames = 0
    /// The largest sample, linear, full scale 1.
    var peak: Float = 0
    /// Number of frames with a sample beyond full scale, which a file of integers clips.
    var loudFrames = 0
    /// Number of frames of silence in place of missed frames (xruns).
    var missedFrames = 0
    /// Number of frames of silence in place of frames that the disk was too slow for.
    var droppedFrames = 0
    /// Number of frames of silence for the time in which nothing came: the daemon was away, the graph stood still, or no source
    /// was connected. The time before the first sound and after the last one does not count.
    var gapFrames = 0
    /// Number of frames of silence in place of frames that a source left out when its latency fell.
    var skippedFrames = 0
    /// Number of dropped frames, for a time that was already recorded.
    var repeatedFrames = 0
    /// Number of frames that are in no file, because it could not be made or was removed.
    var lostFrames = 0
    /// The reason of the loss, as a sentence.
    var reason: String?
}
