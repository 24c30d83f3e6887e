// SPDX-License-Identifier: MIT
import ToolSupport

/// The result of a recording.
struct RecordingFigures: Sendable {
    /// The reason why nothing was recorded, if so.
    enum Emptiness {
        case notConnected, notPressed, endedBeforeSound

        var sentence: String {
            switch self {
            case .notConnected: "Nothing was connected, so nothing was recorded."
            case .notPressed: "The trigger was not pressed, so nothing was recorded."
            case .endedBeforeSound: "It ended before sound from after the press had come, so nothing was recorded."
            }
        }
    }

    var emptiness = Emptiness.notConnected
    var sampleRate = 0
    /// Whether its files have integers, which end at full scale.
    var isClipping = false
    /// The start of the recording, in the app's time.
    var start: Int64 = 0
    /// Number of frames in each of its files.
    var frames = 0
    var tracks: [TrackFigures] = []
    /// The reason why it ended early, if it did.
    var failure: (any Error)?

    /// The reason why some of its sound is in no file, if so.
    var loss: ToolFailure? {
        guard let reason = tracks.compactMap(\.reason).first else { return nil }
        return ToolFailure("\(sum(\.lostFrames)) frames are in no file: \(reason)")
    }

    private var fileCount: Int { tracks.count { $0.file != nil } }

    /// - Parameter isSeparate: whether to print a line for each file before the last one.
    func report(isSeparate: Bool) {
        if isSeparate { tracks.forEach(report) }
        let peak = tracks.map(\.peak).max() ?? 0
        let first = frames > 0 ? "\(start)" : "none"
        let level = Decimal.decibels(ofLevel: peak)
        var values: KeyValuePairs<String, String> {
            [
                "first_position": first, "frames": "\(frames)", "seconds": seconds, "peak_dbfs": level,
                "missed_frames": "\(most(\.missedFrames))", "dropped_frames": "\(most(\.droppedFrames))",
                "gap_frames": "\(most(\.gapFrames))", "skipped_frames": "\(most(\.skippedFrames))",
                "repeated_frames": "\(sum(\.repeatedFrames))",
                "clipped_frames": "\(isClipping ? most(\.loudFrames) : 0)",
                "lost_frames": "\(sum(\.lostFrames))", "sample_rate": "\(sampleRate)", "files": "\(fileCount)",
            ]
        }
        let files = isSeparate ? " in \(fileCount) \(fileCount == 1 ? "file" : "files")" : ""
        let lost = isSeparate ? "" : lost(tracks.first ?? TrackFigures())
        Terminal.report(
            frames > 0
                ? "Recorded \(frames) frames (\(seconds) s)\(files) from graph position \(first) on, peak \(level) dBFS\(lost)."
                : nothing,
            values)
    }

    /// The sentence about a take without a frame.
    private var nothing: String {
        guard let left = tracks.first(where: \.hasLeftFile) else { return emptiness.sentence }
        return "Only silence came, so nothing was recorded, and \(left.title) is as it was."
    }

    private func report(_ track: TrackFigures) {
        let level = Decimal.decibels(ofLevel: track.peak)
        guard let file = track.file else {
            Terminal.report(
                "\(track.title): no file, \(track.lostFrames) frames are lost.",
                ["lost_frames": "\(track.lostFrames)", "source": track.title])
            return
        }
        Terminal.report(
            "\(file): \(track.frames) frames, peak \(level) dBFS\(lost(track)).",
            // The name last, because it may contain spaces.
            [
                "track_frames": "\(track.frames)", "channels": "\(track.channelCount)", "peak_dbfs": level,
                "missed_frames": "\(track.missedFrames)", "dropped_frames": "\(track.droppedFrames)",
                "gap_frames": "\(track.gapFrames)", "skipped_frames": "\(track.skippedFrames)",
                "repeated_frames": "\(track.repeatedFrames)",
                "clipped_frames": "\(isClipping ? track.loudFrames : 0)",
                "lost_frames": "\(track.lostFrames)", "file": file,
            ])
    }

    private func lost(_ track: TrackFigures) -> String {
        let silent = Self.list([
            (track.missedFrames, "were missed"), (track.droppedFrames, "were dropped because the disk was too slow"),
            (track.gapFrames, "passed while nothing came"),
            (track.skippedFrames, "were left out by the source when its latency fell"),
            (track.lostFrames, "were lost because they had no file"),
        ])
        let clipped = isClipping && track.loudFrames > 0
        let repeated = Self.list([
            (track.repeatedFrames, "were left out because they came for a time that was recorded already")
        ])
        return (silent.isEmpty ? "" : "; \(silent), and silence is in their place")
            + (repeated.isEmpty ? "" : "; \(repeated)")
            + (clipped ? "; \(track.loudFrames) frames are clipped at 0 dBFS, where this format ends" : "")
    }

    private static func list(_ figures: [(frames: Int, fate: String)]) -> String {
        figures.filter { $0.frames > 0 }.map { "\($0.frames) frames \($0.fate)" }.joined(separator: ", ")
    }

    /// Silence is a time, and a sum over tracks would be longer than the recording: an xrun of the recorder is in all.
    private func most(_ figure: KeyPath<TrackFigures, Int>) -> Int { tracks.map { $0[keyPath: figure] }.max() ?? 0 }
    private func sum(_ figure: KeyPath<TrackFigures, Int>) -> Int { tracks.reduce(0) { $0 + $1[keyPath: figure] } }
    private var seconds: String { Decimal.text(Double(frames) / Double(max(sampleRate, 1)), digits: 3) }
}
