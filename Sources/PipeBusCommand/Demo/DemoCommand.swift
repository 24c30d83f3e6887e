// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// Demonstrates the whole: three processes, a real sound, and a measurement of the result.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Sends a recorded voice through an echo into a recorder, live, and measures the recording.",
        discussion: """
            Starts tone-sender, echo-filter and track-recorder as three processes, connects them, presses the \
            recorder's trigger to begin and to end the recording, and looks for the voice and its echoes in it. It fails if they are not where they should be. Without a running \
            PipeWire daemon it starts a private one. That one it kills near the end, while the voice is recorded a second time, \
            starts it again, and measures how soon the voice is back and how long the silence in this recording is. It stays \
            beside the other one, as demo-restart.wav.
            """)

    @Option(help: ArgumentHelp("The sound; by default words that alsa-utils installs.", valueName: "wav"))
    var file: String?
    @Option(help: ArgumentHelp("The recording.", valueName: "wav"))
    var output = "demo.wav"
    @OptionGroup var remote: RemoteOptions

    func validate() throws { try SoundFileName.check(output, for: "--output", of: "pipebus demo") }

    func run() async throws {
        let sound = try DemoSound(path: file)
        defer { sound.remove() }
        let output = try DemoOutput(path: output, apartFrom: sound)
        let restartOutput = try DemoOutput(path: DemoOutput.restartPath(beside: output.path), apartFrom: sound)
        let stage = try await DemoStage.open(remote: remote.name, sampleRate: sound.clip.sampleRate)
        let demo = Demo(sound: sound, output: output, restartOutput: restartOutput, stage: stage)
        let work = Task {
            let result = await Result(of: { () async throws in
                do { return try await demo.run() } catch {
                    throw CommandFailure.of(await stage.cause(of: error), in: stage.bus.state)
                }
            })
            await stage.bus.close()
            return try result.get()
        }
        let ending = await stage.bus.runUntilSignal()
        // Without effect on a process that has ended.
        stage.endProcesses()
        let result: DemoResult
        do {
            let outcome = await work.result
            try await stage.close()
            if case .signal = ending { throw ToolFailure("The demo was ended before it was done.") }
            result = try outcome.get()
        } catch {
            output.discard()
            restartOutput.discard()
            throw error
        }
        print(result.text)
        // A whole recording that is not as it should be stays: the error says what to look for in it.
        try result.check()
        print("The recording contains the sound and its echoes, each in its place.")
    }
}
