// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// The report of the audio thread, which plays a tone, to the rest of the app. Relaxed throughout: no other value is published with one of these.
final class Progress: Sendable {
    let firstPosition = Atomic<UInt64>(0)
    let sentFrames = Atomic<Int>(0)
    let missedFrames = Atomic<Int>(0)
    let sampleRate = Atomic<Int>(0)
    /// Whether the sound was sent to its end. `isHeard`: whether it must also have been heard by every destination.
    let isSent = Atomic<Bool>(false)
    let isHeard = Atomic<Bool>(false)
    /// The graph's sample rate, in hertz, if the sound cannot be played at it; 0 otherwise.
    let unfitRate = Atomic<Int>(0)

    var refusedRate: Int? {
        let rate = unfitRate.load(ordering: .relaxed)
        return rate != 0 ? rate : nil
    }

    /// - Parameter isConnected: whether the port has a destination. Without one there is nothing to wait for.
    func isOver(whileConnected isConnected: Bool) -> Bool {
        refusedRate != nil || isHeard.load(ordering: .relaxed) || isSent.load(ordering: .relaxed) && !isConnected
    }

    /// The line for a terminal while the sender runs.
    func line(to destinations: [String]) -> String {
        guard !destinations.isEmpty else { return "waiting until something is connected" }
        return "\(Decimal.text(seconds, digits: 1)) s to \(destinations.joined(separator: ", "))\(missed)"
    }

    /// Prints the result at the end.
    func report() {
        let sent = sentFrames.load(ordering: .relaxed)
        let first = sent > 0 ? "\(firstPosition.load(ordering: .relaxed))" : "none"
        Terminal.report(
            sent > 0
                ? "Sent \(sent) frames (\(Decimal.text(seconds, digits: 1)) s), the first at graph position \(first)\(missed)."
                : "Nothing was connected, so nothing was sent.",
            [
                "first_position": first, "frames": "\(sent)",
                "missed_frames": "\(missedFrames.load(ordering: .relaxed))",
                "sample_rate": "\(sampleRate.load(ordering: .relaxed))",
            ])
    }

    private var seconds: Double {
        Double(sentFrames.load(ordering: .relaxed)) / Double(max(sampleRate.load(ordering: .relaxed), 1))
    }

    private var missed: String {
        let frames = missedFrames.load(ordering: .relaxed)
        return frames > 0 ? ", \(frames) frames missed" : ""
    }
}
