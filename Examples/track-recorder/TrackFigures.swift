// SPDX-License-Identifier: MIT

/// What one track came to.
struct TrackFigures: Sendable {
    /// Whose sound it is, for people.
    var title = ""
    /// Without its folder; `nil` if there is none.
    var file: String?
    var channelCount = 0
    /// Frames in the file.
    var frames = 0
    /// Linear, full scale 1.
    var peak: Float = 0
    /// Frames of silence in place of those that the graph went on without us.
    var missedFrames = 0
    /// In place of those that the disk was too slow for.
    var droppedFrames = 0
    /// In place of those that a source left out when its latency fell.
    var skippedFrames = 0
    /// Frames that came for a time that was recorded already.
    var repeatedFrames = 0
    /// Frames that came and are in no file, because it could not be made or was removed.
    var lostFrames = 0
    /// Why, as a sentence.
    var reason: String?
}
