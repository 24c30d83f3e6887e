// SPDX-License-Identifier: MIT
import PipeBus

/// How far a recording has come, in frames of the app's time.
///
/// - Thread: any.
struct RecordingProgress: Sendable {
    let capture: Capture
    /// Whether sound is placed at the time at which it was made; otherwise at its arrival.
    let isAligned: Bool

    /// The sample rate of the recording, in hertz; 0 before the first cycle.
    var sampleRate: Int { capture.progress?.firstSampleRate ?? 0 }
    /// Another rate that the graph has changed to, in hertz; 0 if it has not. A file has one rate.
    var newRate: Int {
        guard let progress = capture.progress, progress.sampleRate != progress.firstSampleRate else { return 0 }
        return progress.sampleRate
    }
    /// The start of the recording.
    var start: Int64 { capture.progress.map { isAligned ? $0.start : $0.firstCycle } ?? 0 }
    /// The place up to which every connected source has handed over all its sound.
    var reached: Int64 {
        guard let progress = capture.progress else { return .min }
        guard isAligned else { return progress.cycleEnd }
        // A source that says that it is older is not waited for.
        return max(progress.completeEnd, progress.cycleEnd &- Int64(CapturedBlock.longestAge(progress.sampleRate)))
    }
    /// The end of the newest frame.
    var end: Int64 { capture.progress.map { isAligned ? $0.newestEnd : $0.cycleEnd } ?? .min }

    /// The time from the start to the newest frame, in seconds; `nil` before the first cycle.
    var seconds: Double? {
        let (start, end, sampleRate) = (start, end, sampleRate)
        guard sampleRate > 0, end > start else { return nil }
        return Double(end &- start) / Double(sampleRate)
    }
}
