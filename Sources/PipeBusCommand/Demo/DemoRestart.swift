// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import ToolSupport

/// The second part of the demo, on a private daemon only: the daemon is killed while the voice is recorded again, and another
/// one is started.
struct DemoRestart {
    private let path: String
    /// The time from the new daemon's socket to the voice, in milliseconds.
    private let backAfter: Int
    /// The silence in the recording, in frames at its sample rate.
    private let silence: Int
    private let sampleRate: Int

    init(of stage: DemoStage, playing sound: DemoSound, recordingTo output: DemoOutput, channels: Int) async throws {
        try DemoProgress.show("Recording the voice once more …")
        // The words have pauses without any sound, which would be taken for the daemon's absence.
        let sound = try sound.withoutSilence()
        defer { sound.remove() }
        let recorder = try await stage.start(
            "track-recorder", as: "Second recorder", ["--output", output.path, "--channels", "\(channels)"])
        output.noteRecorder()
        let voice = try await stage.start("tone-sender", as: "Voice", ["--file", sound.path, "--loop"])
        sound.remove()
        let meter = try await stage.bus.receiver("restart levels", channels: .channels(channels), state: ()) {
            _, _, _ in
        }
        try await stage.bus.connect(voice.name, to: recorder.name)
        try await stage.bus.connect(voice.name, to: meter)
        try await Self.hear(1, at: meter)

        try DemoProgress.show("Killing the daemon, and starting it again half a second later …")
        // Long enough to be heard in the recording. Without a pause it may be less than a cycle.
        try await stage.restartDaemon(after: .milliseconds(500))
        let start = ContinuousClock.now
        let cycles = try await meter.statistics.cycles
        try await eventually("the voice after the restart") {
            try await meter.statistics.cycles > cycles && meter.mixMeter.peak > 0
        }
        backAfter = Int((ContinuousClock.now - start) / .milliseconds(1))
        try await Self.hear(1, at: meter)
        recorder.end()
        _ = try await recorder.figures(within: .seconds(10))
        voice.end()
        _ = try await voice.figures(within: .seconds(10))
        await meter.close()

        path = output.path
        let recording = try AudioClip(contentsOf: path)
        sampleRate = recording.sampleRate
        silence = Self.longestSilence(in: recording)
    }

    /// Waits until a meter has heard sound for some seconds.
    private static func hear(_ seconds: Int, at meter: ReceiverPort) async throws {
        try await eventually("the voice") { meter.mixMeter.peak > 0 }
        let frames = try await meter.statistics.frames + UInt64(seconds * 48_000)
        try await eventually("a second of it") { try await meter.statistics.frames >= frames }
    }

    /// The longest run of frames that are zero on every channel, between others.
    private static func longestSilence(in clip: AudioClip) -> Int {
        var (longest, run, isSound) = (0, 0, false)
        for frame in 0..<clip.frameCount {
            let isSilent = (0..<clip.channelCount).allSatisfy { clip.samples[frame * clip.channelCount + $0] == 0 }
            if isSilent {
                run += 1
            } else {
                if isSound { longest = max(longest, run) }
                (run, isSound) = (0, true)
            }
        }
        return longest
    }

    var text: String {
        """
        restart: the PipeWire daemon was killed, and started again half a second later; the voice was back \(backAfter) ms after its socket, \
        and the silence in \(path) is \(silence) frames, \(1000 * silence / max(sampleRate, 1)) ms
        """
    }
}
