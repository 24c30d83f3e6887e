// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import RealtimeKit
import ToolSupport

/// The settings that can be changed while the filter runs: set here, read on the audio thread.
struct Controls: Sendable {
    let delay: Parameter<Int>
    let feedback: Parameter<Float>
    /// The length of the delay line, in frames.
    let longestDelay: Int

    init(delay: Int, feedback: Double, longestDelay: Int) {
        self.delay = Parameter(delay)
        self.feedback = Parameter(Float(feedback))
        self.longestDelay = longestDelay
    }

    /// Carries out lines such as "delay 4800" and "feedback 0.3" until the input ends. An invalid line is answered with
    /// a sentence, and changes nothing.
    ///
    /// - Parameter port: publishes the delay as its latency; `nil` if the dry sound passes at once.
    func follow(_ lines: AsyncStream<String>, reportingLatencyOf port: FilterPort?) async {
        for await line in lines {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { continue }
            do {
                try await perform(words, port)
                try Terminal.announce(words[0], words[1])
            } catch let error as PipeBusError where error.code == .closed {
                // The tool is ending.
                return
            } catch {
                Terminal.complain(ErrorText.sentence(for: error), as: "echo-filter")
            }
        }
    }

    private func perform(_ words: [String], _ port: FilterPort?) async throws {
        switch (words[0], words.count) {
        case ("delay", 2):
            guard let frames = Int(words[1]) else {
                throw ValidationError("delay takes a number of frames such as 4800, not \"\(words[1])\".")
            }
            try Check.that("delay", frames, isIn: 0...longestDelay, unit: "frames (see --longest-delay)")
            try Self.check(delay: frames, feedback: Double(feedback.value))
            // First, because it may fail: the delay would be another one than its peers are told.
            try await port?.setLatency(frames)
            delay.value = frames
        case ("feedback", 2):
            guard let gain = Double(words[1]) else {
                throw ValidationError("feedback takes a gain from -0.99 to 0.99, not \"\(words[1])\".")
            }
            try Check.that("feedback", gain, isIn: Self.feedbacks, unit: "(from one echo to the next)")
            try Self.check(delay: delay.value, feedback: gain)
            feedback.value = Float(gain)
        default:
            throw ValidationError(
                "Type \"delay FRAMES\" or \"feedback GAIN\", not \"\(words.joined(separator: " "))\".")
        }
    }

    static let feedbacks = -0.99...0.99

    /// - Throws: `ValidationError` where the echoes would come at the same time as the sound.
    static func check(delay: Int, feedback: Double) throws {
        guard delay > 0 || feedback == 0 else {
            throw ValidationError("Without a delay there can be no echo; set the feedback to 0 too, or a delay.")
        }
    }
}
