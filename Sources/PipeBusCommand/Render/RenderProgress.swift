// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// The line on a terminal that says how far a render has come.
final class RenderProgress: Sendable {
    private struct State {
        var line = StatusLine()
        var shown = ContinuousClock.now
    }

    private let title: String
    private let sampleRate: Int
    /// `nil` if the file does not say it.
    private let frameCount: Int?
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(of input: SoundFileReader, through filters: [RenderFilter]) {
        title = "\(OutputFile.name(of: input.path)) → \(filters.map(\.name).joined(separator: " → "))"
        sampleRate = input.sampleRate
        frameCount = (1..<Int.max).contains(input.frameCount) ? input.frameCount : nil
    }

    /// - Parameter frames: of the file so far.
    func show(_ frames: Int) {
        guard Terminal.isInForeground else { return }
        state.withLock { state in
            guard state.shown.duration(to: .now) >= .milliseconds(100) else { return }
            state.shown = .now
            state.line.show(text(frames, after: start.duration(to: .now) / .seconds(1)))
        }
    }

    func end() { state.withLock { $0.line.clear() } }

    private func text(_ frames: Int, after seconds: Double) -> String {
        let length = Double(frames) / Double(sampleRate)
        let part = frameCount.map { "\(min(100 * frames / $0, 100)) %, " } ?? ""
        return "\(part)\(Decimal.text(length, digits: 0)) s\(Self.speed(length, seconds)): \(title)"
    }

    /// The end of a phrase about a sound; empty where a start or an end takes more time than the sound.
    ///
    /// - Parameter seconds: the time that it took.
    static func speed(_ length: Double, _ seconds: Double) -> String {
        let times = length / max(seconds, 0.001)
        return times < 2 ? "" : ", \(Decimal.text(times, digits: 0)) times as fast as live"
    }
}
