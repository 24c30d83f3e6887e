// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// Shows the whole of it at work: three processes, a real sound, and a measurement of what came out.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Sends a recorded voice through an echo into a recorder, live, and measures the recording.",
        discussion: """
            Starts tone-sender, echo-filter and track-recorder as three processes, connects them, and looks for the voice \
            and its echoes in what was recorded. It fails if they are not where they should be. Without a running \
            PipeWire daemon it starts a private one.
            """)

    @Option(help: ArgumentHelp("The sound; some of the words that alsa-utils installs unless given.", valueName: "wav"))
    var file: String?
    @Option(help: ArgumentHelp("The recording.", valueName: "wav"))
    var output = "demo.wav"
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let sound = try DemoSound(path: file)
        defer { sound.remove() }
        let stage = try await DemoStage.open(remote: remote.name, sampleRate: sound.clip.sampleRate)
        let demo = Demo(sound: sound, output: output, stage: stage)
        let work = Task {
            let result = await Result(of: { try await demo.run() })
            await stage.bus.close()
            return try result.get()
        }
        let ending = await stage.bus.runUntilSignal()
        // Processes that have ended by themselves do not mind.
        stage.endProcesses()
        let result = await work.result
        try await stage.close()
        if case .signal = ending { throw ToolFailure("It was ended before it was done.") }
        try result.get()
    }
}
