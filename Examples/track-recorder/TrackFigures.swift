// SPDX-License-Identifier: MIT

/// What one file came to.
struct TrackFigures: Sendable {
    /// Without its folder.
    var file = ""
    var channelCount = 0
    /// Frames in the file.
    var frames = 0
    /// Linear, full scale 1.
    var peak: Float = 0
    /// Frames of silence in place of those that the graph went on without us.
    var missedFrames = 0
    /// In place of those that the disk was too slow for.
    var droppedFrames = 0
    /// In place of those that were left out when the source no longer had to wait for a slower one.
    var skippedFrames = 0
}
