// SPDX-License-Identifier: MIT
import ToolSupport

/// What a recording came to.
struct RecordingFigures: Sendable {
    var sampleRate = 0
    /// Where it begins, on the graph's clock.
    var start: Int64 = 0
    /// Frames in each of its files.
    var frames = 0
    var tracks: [TrackFigures] = []

    /// - Parameter isSeparate: a line for each file before the one for all.
    func report(isSeparate: Bool) {
        if isSeparate { tracks.forEach(report) }
        let peak = tracks.map(\.peak).max() ?? 0
        let first = frames > 0 ? "\(start)" : "none"
        let level = Decimal.decibels(ofLevel: peak)
        var values: KeyValuePairs<String, String> {
            [
                "first_position": first, "frames": "\(frames)", "seconds": seconds, "peak_dbfs": level,
                "missed_frames": "\(sum(\.missedFrames))", "dropped_frames": "\(sum(\.droppedFrames))",
                "skipped_frames": "\(sum(\.skippedFrames))", "sample_rate": "\(sampleRate)", "files": "\(tracks.count)",
            ]
        }
        let files = isSeparate ? " in \(tracks.count) \(tracks.count == 1 ? "file" : "files")" : ""
        let lost = isSeparate ? "" : Self.lost(tracks.first ?? TrackFigures())
        Terminal.report(
            frames > 0
                ? "Recorded \(frames) frames (\(seconds) s)\(files) from graph position \(first) on, peak \(level) dBFS\(lost)."
                : "Nothing was connected, so nothing was recorded.",
            values)
    }

    private func report(_ track: TrackFigures) {
        let level = Decimal.decibels(ofLevel: track.peak)
        Terminal.report(
            "\(track.file): \(track.frames) frames, peak \(level) dBFS\(Self.lost(track)).",
            // The name last: there may be spaces in it.
            [
                "track_frames": "\(track.frames)", "channels": "\(track.channelCount)", "peak_dbfs": level,
                "missed_frames": "\(track.missedFrames)", "dropped_frames": "\(track.droppedFrames)",
                "skipped_frames": "\(track.skippedFrames)", "file": track.file,
            ])
    }

    private static func lost(_ track: TrackFigures) -> String {
        let parts = [
            (track.missedFrames, "missed"), (track.droppedFrames, "dropped because the disk was too slow"),
            (track.skippedFrames, "left out when the delay became shorter"),
        ]
        let told = parts.filter { $0.0 > 0 }.map { "\($0.0) frames were \($0.1)" }
        return told.isEmpty ? "" : "; \(told.joined(separator: ", ")), and silence is in their place"
    }

    private func sum(_ figure: KeyPath<TrackFigures, Int>) -> Int { tracks.reduce(0) { $0 + $1[keyPath: figure] } }
    private var seconds: String { Decimal.text(Double(frames) / Double(max(sampleRate, 1)), digits: 3) }
}
