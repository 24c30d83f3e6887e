// SPDX-License-Identifier: MIT
import ToolSupport

/// The common settings of a recording's tracks.
struct TrackSettings {
    /// The sample rate, in hertz.
    let sampleRate: Int
    let format: SampleFormat
    let memory: MemoryBudget
    /// Takes a sentence about an error of a file.
    let report: @Sendable (String) -> Void
    var fileFormat = FileFormat.wav
}
