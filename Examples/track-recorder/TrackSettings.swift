// SPDX-License-Identifier: MIT
import ToolSupport

/// What all tracks of a recording have in common.
struct TrackSettings {
    /// In hertz.
    let sampleRate: Int
    let format: SampleFormat
    let room: HoldingRoom
    /// Is given a sentence about what is wrong with a file.
    let report: @Sendable (String) -> Void
}
