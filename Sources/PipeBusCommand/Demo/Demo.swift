// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import ToolSupport

/// The demo itself: voice → echo → recorder.
struct Demo: Sendable {
    static let delay = 12_000
    static let feedback = 0.4

    let sound: DemoSound
    let output: DemoOutput
    /// Of the second part.
    let restartOutput: DemoOutput
    let stage: DemoStage

    /// Records, and measures the recording.
    func run() async throws -> DemoResult {
        try DemoProgress.show("Starting a recorder, an echo and a voice …")
        // From the end of the chain to its beginning, so that no sound is lost.
        let recorder = try await stage.start(
            "track-recorder", as: "Recorder", ["--armed", "--output", output.path, "--channels", "\(recordedChannels)"])
        output.noteRecorder()
        let echo = try await stage.start(
            "echo-filter", as: "Echo",
            [
                "--dry", "--delay", "\(Self.delay)", "--feedback", "\(Self.feedback)",
                "--channels", "\(sound.clip.channelCount)",
            ])
        let voice = try await stage.start(
            "tone-sender", as: "Voice", ["--file", sound.path, "--duration", "\(DemoSound.longestSeconds)"])
        // The sender has opened it.
        sound.remove()
        try DemoProgress.show(
            "\(voice.name) → \(echo.name) → \(recorder.name), three processes on "
                + (stage.isPrivate ? "a PipeWire daemon of their own" : "the running PipeWire daemon"))

        let meter = try await stage.bus.receiver("levels", channels: .channels(recordedChannels), state: ()) {
            _, _, _ in
        }
        try await stage.bus.connect(echo.name, to: recorder.name)
        let echoSource = try await stage.bus.connect(echo.name, to: meter).source
        try DemoProgress.show("Pressing the trigger of \(recorder.name): it records until the next press …")
        // Its port is in the graph a moment before its trigger.
        try await stage.waitForTrigger("record", of: recorder, toBe: .alternate)
        try await stage.press("record", of: recorder)
        try await stage.waitForTrigger("record", of: recorder, toBe: .selected)
        let ear = try await stage.bus.capture("voice", channels: .channels(sound.clip.channelCount), fade: .none)
        try await stage.bus.connect(voice.name, to: echo.name)
        try await stage.bus.connect(voice.name, to: ear.port)
        let voiceSource = try await stage.bus.connect(voice.name, to: meter).source

        let levels = Task {
            var line = StatusLine()
            for await readings in meter.meters {
                let chain = [(voice.name, voiceSource), (echo.name, echoSource)].map { name, id in
                    "\(name) \(LevelBar.text(readings.first { $0.id == id }?.meter.peak ?? 0))"
                }
                line.show((chain + [recorder.name]).joined(separator: " → "))
            }
            line.clear()
        }
        // The echoes die away after the sound.
        let seconds = sound.clip.seconds + Double(3 * Self.delay) / Double(sound.clip.sampleRate)
        try DemoProgress.show("Recording the voice and its echoes, for \(Decimal.text(seconds, digits: 0)) s …")
        let sentPosition = try await beginning(at: ear)
        await ear.port.close()
        let sent = try await voice.figures(within: .seconds(sound.clip.seconds) + .seconds(15))
        // The time in which the first echoes decay.
        let frames = try await meter.statistics.frames + UInt64(3 * Self.delay)
        try await eventually("the echoes to die away") { try await meter.statistics.frames >= frames }
        try await stage.press("record", of: recorder)
        let recorded = try await recorder.figures(within: .seconds(10))
        echo.end()
        let filtered = try await echo.figures(within: .seconds(10))
        let cycles = try await meter.statistics
        await meter.close()
        await levels.value
        let restart =
            stage.isPrivate
            ? try await DemoRestart(of: stage, playing: sound, recordingTo: restartOutput, channels: recordedChannels)
            : nil

        try DemoProgress.show("Looking for the voice and its echoes in \(output.path) …")
        return try DemoResult(
            of: sound, in: output.path, from: sentPosition, sent: sent, filtered: filtered, recorded: recorded,
            quantum: Int(cycles.frames / max(cycles.cycles, 1)), restart: restart)
    }

    /// Waits until the voice begins.
    ///
    /// - Returns: the graph's position at the sound's first frame.
    private func beginning(at ear: Capture) async throws -> Int {
        try await eventualResult("the voice", within: .seconds(15)) {
            while let block = ear.read() {
                // The recording would have it at another speed than the sound that is looked for.
                guard block.sampleRate == sound.clip.sampleRate else {
                    throw ToolFailure(
                        "\(sound.path) has \(sound.clip.sampleRate) Hz and the graph runs at \(block.sampleRate) Hz; convert the "
                            + "file to \(block.sampleRate) Hz, or give the graph the file's rate (pw-metadata -n settings 0 clock.force-rate "
                            + "\(sound.clip.sampleRate)).")
                }
                let channels = (0..<block.channelCount).map { block[$0] }
                let first = channels.compactMap { channel in
                    channel.firstIndex { $0 != 0 }.map { $0 - channel.startIndex }
                }
                if let first = first.min() {
                    return Int(block.timestamp.position) + first - sound.clip.firstAudibleFrame
                }
            }
            return nil
        }
    }

    private var recordedChannels: Int { max(sound.clip.channelCount, 2) }
}

extension AudioClip {
    var seconds: Double { Double(frameCount) / Double(sampleRate) }

    /// The first frame with a sample that is not 0.
    var firstAudibleFrame: Int { (samples.firstIndex { $0 != 0 } ?? 0) / channelCount }
}
