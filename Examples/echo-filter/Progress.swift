// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// What the audio thread tells the rest of the app. Relaxed throughout: each value stands for itself.
final class Progress: Sendable {
    let frames = Atomic<Int>(0)
    let missedFrames = Atomic<Int>(0)
    let sampleRate = Atomic<Int>(0)

    /// For a terminal, while it runs.
    func line(from sources: [GraphPort], to destinations: [GraphPort]) -> String {
        guard !sources.isEmpty || !destinations.isEmpty else { return "waiting until something is connected" }
        let ends = [sources, destinations].map { $0.isEmpty ? "nobody" : $0.map(\.title).joined(separator: ", ") }
        return "from \(ends[0]) to \(ends[1]), \(Decimal.text(seconds, digits: 1)) s\(missed)"
    }

    /// At the end.
    func report() {
        Terminal.report(
            "Filtered \(Decimal.text(seconds, digits: 1)) s\(missed).",
            [
                "frames": "\(frames.load(ordering: .relaxed))",
                "missed_frames": "\(missedFrames.load(ordering: .relaxed))",
                "sample_rate": "\(sampleRate.load(ordering: .relaxed))",
            ])
    }

    private var seconds: Double {
        Double(frames.load(ordering: .relaxed)) / Double(max(sampleRate.load(ordering: .relaxed), 1))
    }

    private var missed: String {
        let frames = missedFrames.load(ordering: .relaxed)
        return frames > 0 ? ", \(frames) frames missed" : ""
    }
}
