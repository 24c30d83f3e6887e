// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit
import Synchronization
import ToolSupport

/// The audio thread's report to the rest of the app. Relaxed throughout: no other value is published with one of these.
final class Progress: Sendable {
    let frames = Atomic<Int>(0)
    let missedFrames = Atomic<Int>(0)
    let sampleRate = Atomic<Int>(0)

    /// The line for a terminal while the filter runs. It has no clock: a line that changes all the time would hide what
    /// is being typed.
    func line(from sources: [GraphPort], to destinations: [GraphPort], _ controls: Controls) -> String {
        let values =
            "delay \(controls.delay.value), feedback \(Decimal.text(Double(controls.feedback.value), digits: 2))"
        guard !sources.isEmpty || !destinations.isEmpty else {
            return "\(values), waiting until something is connected"
        }
        let ends = [sources, destinations].map { $0.isEmpty ? "nobody" : $0.map(\.title).joined(separator: ", ") }
        return "\(values), from \(ends[0]) to \(ends[1])\(missed)"
    }

    /// Prints the result at the end.
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
