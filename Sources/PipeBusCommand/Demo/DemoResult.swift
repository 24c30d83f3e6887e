// SPDX-License-Identifier: MIT
import ToolSupport

/// The demo's result, measured.
struct DemoResult {
    private let path: String
    private let sound: DemoSound
    private let recording: AudioClip
    private let recorded: [String: String]
    /// Graph positions of the first frames that were sent and recorded.
    private let sentPosition: Int
    private let recordedPosition: Int
    private let lostFrames: Int
    private let quantum: Int
    /// `nil` on a daemon that is not the demo's own.
    private let restart: DemoRestart?
    /// One for each channel of the recording.
    private let searches: [EchoSearch]

    /// - Parameters:
    ///   - sound: the sound that was sent.
    ///   - path: the recording.
    ///   - sentPosition: the graph's position at the first frame that was sent.
    ///   - sent: the figures that the sender printed; `filtered` and `recorded` are those of the filter and the
    ///     recorder.
    ///   - quantum: frames in a cycle.
    ///   - restart: the second part, if it took place.
    init(
        of sound: DemoSound, in path: String, from sentPosition: Int, sent: [String: String],
        filtered: [String: String], recorded: [String: String], quantum: Int, restart: DemoRestart?
    ) throws {
        guard let recordedPosition = recorded.number("first_position") else {
            throw ToolFailure(
                "Nothing was recorded; see with \"pipebus top\" whether PipeWire runs its graph, and try again."
            )
        }
        self.path = path
        self.sound = sound
        self.sentPosition = sentPosition
        self.recordedPosition = recordedPosition
        self.recorded = recorded
        self.quantum = max(quantum, 1)
        self.restart = restart
        lostFrames =
            [sent, filtered, recorded].reduce(0) { $0 + ($1.number("missed_frames") ?? 0) }
            + (recorded.number("dropped_frames") ?? 0)
        let recording = try AudioClip(contentsOf: path)
        self.recording = recording
        searches = (0..<recording.channelCount).map { channel in
            EchoSearch(
                of: sound.clip.channel(min(channel, sound.clip.channelCount - 1)), in: recording.channel(channel),
                count: 4)
        }
    }

    /// The delay of the sound between sender and recording, in frames.
    private var latency: Int? {
        searches[0].occurrences.first.map { recordedPosition + $0.place - sentPosition }
    }

    var text: String {
        """
        \(path): \(recording.frameCount) frames, \(Decimal.text(recording.seconds, digits: 2)) s at \
        \(recording.sampleRate) Hz, peak \(recorded["peak_dbfs"] ?? "?") dBFS
        latency: \(latency.map { "\($0) frames" } ?? "unknown") from the sender to the recorder
        lost: \((lostFrames + quantum - 1) / quantum) cycles of \(quantum) frames
        found: \(found)
        """ + (restart.map { "\n\($0.text)" } ?? "")
    }

    private var found: String {
        let search = searches[0]
        guard let first = search.occurrences.first else { return "nothing of the sound" }
        let echoes = search.occurrences.dropFirst().map { echo in
            "\(echo.place - first.place) frames later (gain \(Decimal.text(echo.gain, digits: 3)))"
        }
        let share = Decimal.text(100 * (1 - search.remainder), digits: 1)
        return "the sound at frame \(first.place) (gain \(Decimal.text(first.gain, digits: 3)))"
            + (echoes.isEmpty ? "" : ", again \(echoes.joined(separator: ", "))") + "; together \(share) % of it all"
    }

    /// - Throws: ``ToolFailure`` if the sound and its echo are not where they must be.
    func check() throws {
        let expected = [1, Demo.feedback, Demo.feedback * Demo.feedback]
        for (channel, search) in searches.enumerated() {
            for (number, gain) in expected.enumerated() {
                let place = sentPosition - recordedPosition + number * Demo.delay
                let isThere = search.occurrences.contains { $0.place == place && abs($0.gain - gain) < 0.02 }
                guard isThere else {
                    try checkEchoesCanBeFound(inChannel: channel)
                    let what = number == 0 ? "the sound" : "echo \(number)"
                    throw ToolFailure(
                        "Channel \(channel + 1) of \(path) does not contain \(what) at frame \(place) with a gain of "
                            + Decimal.text(gain, digits: 2)
                            + (lostFrames > 0 ? "; frames were lost, so try again with less other work" : ""))
                }
            }
        }
    }
}

extension DemoResult {
    /// - Throws: ``ToolFailure`` if the sound is at fault, and not the recording.
    private func checkEchoesCanBeFound(inChannel channel: Int) throws {
        let samples = sound.clip.channel(min(channel, sound.clip.channelCount - 1))
        guard !EchoSearch.canFindEchoes(of: samples, delay: Demo.delay, feedback: Demo.feedback) else { return }
        throw ToolFailure(
            "\(sound.path) repeats itself, as a tone does, so its echoes cannot be told apart from it; use another file, such as one "
                + "of speech.")
    }
}

extension Dictionary<String, String> {
    fileprivate func number(_ key: String) -> Int? { self[key].flatMap { Int($0) } }
}

extension AudioClip {
    fileprivate func channel(_ channel: Int) -> [Float] {
        stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
    }
}
