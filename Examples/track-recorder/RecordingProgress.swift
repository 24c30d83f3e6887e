// SPDX-License-Identifier: MIT
import PipeBus

/// How far a recording has come, in frames of the app's time; those of a recording with a sample rate of its own count from the
/// same start.
///
/// - Thread: any.
struct RecordingProgress: Sendable {
    private let source: RecordingCapture
    /// Whether sound is placed at the time at which it was made; otherwise at its arrival.
    let isAligned: Bool
    /// The sample rate that the capture's blocks are converted to, in hertz; `nil` for the graph's.
    let ownRate: Int?

    init(_ source: RecordingCapture, isAligned: Bool, ownRate: Int? = nil) {
        self.source = source
        self.isAligned = isAligned
        self.ownRate = ownRate
    }

    /// `nil` while the recorder is armed.
    var capture: Capture? { source.present }
    /// Whether the recording begins with a press of the recorder's trigger.
    var isArmed: Bool { source.isArmed }
    private var newest: CaptureProgress? { capture?.progress }

    /// The sample rate of the graph when the recording began, in hertz; 0 before the first cycle.
    var graphRate: Int { newest?.firstSampleRate ?? 0 }
    /// The sample rate of the recording, in hertz; 0 before the first cycle.
    var sampleRate: Int { graphRate > 0 ? ownRate ?? graphRate : 0 }
    /// The conversion of the graph's places to those of the recording.
    var time: RecordingTime { RecordingTime(start: start, graphRate: graphRate, sampleRate: sampleRate) }
    /// Another rate that the graph has changed to, in hertz; 0 if it has not. The places of a recording are counted in one rate.
    var newRate: Int {
        guard let progress = newest, progress.sampleRate != progress.firstSampleRate else { return 0 }
        return progress.sampleRate
    }
    /// The start of the recording: the oldest sound of its first cycle, of which nothing is left out.
    ///
    /// After a press it is the first frame, on the graph's clock, of the first cycle that the capture has. Sound made before that frame is left
    /// out, though sources with a latency hand it over later: all sources begin together.
    var start: Int64 { newest.map { isAligned && !isArmed ? $0.start : $0.firstCycle } ?? 0 }
    /// The place up to which every connected source has handed over all its sound.
    var reached: Int64 {
        guard let progress = newest else { return .min }
        guard isAligned else { return time.place(of: progress.cycleEnd) }
        // A source that says that it is older is not waited for.
        let oldest = progress.cycleEnd &- Int64(CapturedBlock.longestAge(progress.sampleRate))
        return time.place(of: max(progress.completeEnd, oldest))
    }
    /// The end of the newest frame.
    var end: Int64 { newest.map { time.place(of: isAligned ? $0.newestEnd : $0.cycleEnd) } ?? .min }

    /// The time from the start to the newest frame, in seconds; `nil` before the first cycle.
    var seconds: Double? {
        let (start, end, sampleRate) = (start, end, sampleRate)
        guard sampleRate > 0, end > start else { return nil }
        return Double(end &- start) / Double(sampleRate)
    }
}
