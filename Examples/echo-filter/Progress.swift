// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit
import Synchronization
import ToolSupport

/// What the audio thread reports to the rest of the app. Relaxed throughout: each value stands for itself.
final class Progress: Sendable {
    let frames = Atomic<Int>(0)
    let missedFrames = Atomic<Int>(0)
    let sampleRate = Atomic<Int>(0)

    /// For a terminal, while it runs. Without a clock: a line that changes all the time would hide what is being typed.
    func line(from sources: [GraphPort], to destinations: [GraphPort], _ controls: Controls) -> String {
        let values =
            "delay \(controls.delay.value), feedback \(Decimal.text(Double(controls.feedback.value), digits: 2))"
        guard !sources.isEmpty || !destinations.isEmpty else {
            return "\(values), waiting until something is connected"
        }
        let ends = [sources, destinations].map { $0.isEmpty ? "nobody" : $0.map(\.title).joined(separator: ", ") }
        return "\(values), from \(ends[0]) to \(ends[1])\(missed)"
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
