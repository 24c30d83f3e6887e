// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A sender: offers a tone or a sound file to other apps.
@main
struct ToneSender: Tool {
    static let configuration = CommandConfiguration(
        commandName: "tone-sender",
        abstract: "Sends a tone or a sound file to other apps.",
        usage: """
            tone-sender --frequency <hz> [options]
            tone-sender --file <wav> [--loop] [options]
            """,
        discussion: """
            Plays while something is connected. The start waits for a tenth of a second after every channel was \
            linked, or for a second if some are not, so that nothing of it is lost on the way. A file without --loop is \
            played once, and then the tool ends.
            """,
        version: ToolVersion.number)

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Tone"
    @Option(help: ArgumentHelp("The port's name shown to people.", valueName: "text"))
    var title: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sends a sine of this frequency, in hertz: 1 to 96000, and less than half the graph's rate. Either this or --file is "
                + "needed, and not both.", valueName: "hz"))
    var frequency: Double?
    @Option(
        help: ArgumentHelp(
            "Sends a sound file, with 1 to 64 channels, WAV or another format of libsndfile; its rate must be the graph's. Either this or "
                + "--frequency is needed, and not both.", valueName: "wav"))
    var file: String?
    @Flag(help: "Repeats the file; a tone has no end by itself.")
    var loop = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The gain in decibels, -120 to 24; by default -12 for a tone and 0 for a file.", valueName: "db"),
        transform: TypedLevel.decibels(in:))
    var gain: Double?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The latency to publish, the age of the sound when it is sent: 0 to 1048576.", valueName: "frames"))
    var latency = 0
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Ends after this time of sound, in seconds: 0.001 to 604800; without it at the end of the file, or never.",
            valueName: "s"))
    var duration: Double?
    @OptionGroup var remote: RemoteOptions

    func check() throws {
        guard (frequency == nil) != (file == nil) else {
            throw ValidationError("Say what to send: either --frequency HZ or --file WAV, and not both.")
        }
        guard !loop || file != nil else { throw ValidationError("--loop is for --file; a tone goes on by itself.") }
        try Check.that("--frequency", frequency, isIn: 1...96_000, unit: "Hz")
        try Check.that("--gain", gain, isIn: -120...24, unit: "dB")
        try Check.that("--latency", latency, isIn: 0...1_048_576, unit: "frames")
        try Check.that("--duration", duration, isIn: 0.001...604_800, unit: "seconds")
    }

    func run() async throws {
        let tool = ToolRun(as: "tone-sender")
        // The whole file is in memory before the port exists: the audio thread cannot wait for a disk.
        let clip = try file.map { try AudioClip(contentsOf: $0) }
        let progress = Progress()
        let bus = try await remote.connect(
            as: "org.pipebus.tone-sender", name: name, tool: "tone-sender", isCancelled: { tool.isCancelled })
        let port = try await addPort(to: bus, playing: clip, reportingTo: progress)
        try Terminal.announce("port", port.nodeName)
        try await tool.keep(bus, until: { progress.isOver(whileConnected: port.isConnected) }) {
            let destinations = try? await port.state.destinations
            return ["\(port.nodeName): \(progress.line(to: destinations?.map(\.title) ?? []))"]
        }
        try checkRate(progress, clip)
        progress.report()
    }

    private func addPort(to bus: BusClient, playing clip: AudioClip?, reportingTo progress: Progress) async throws
        -> SenderPort
    {
        let gain = Decimal.gain(ofDecibels: gain ?? (clip == nil ? -12 : 0))
        let frames = loop ? nil : clip?.frameCount
        let schedule = Schedule(frames: frames, seconds: duration, reportingTo: progress)
        if let clip {
            let player = ClipPlayer(clip, gain: gain, schedule: schedule)
            return try await bus.sender(
                "out", title: title, channels: .channels(clip.channelCount), latency: .frames(latency), state: player
            ) { player, cycle, output in
                player.render(cycle, into: &output)
            }
        }
        let player = TonePlayer(frequency: frequency ?? 440, gain: gain, schedule: schedule)
        return try await bus.sender("out", title: title, channels: .mono, latency: .frames(latency), state: player) {
            player, cycle, output in
            player.render(cycle, into: &output)
        }
    }

    /// Checks that the sound can be played at the graph's rate. The rate is known with the first cycle, and it may
    /// change later.
    private func checkRate(_ progress: Progress, _ clip: AudioClip?) throws {
        guard let rate = progress.refusedRate else { return }
        guard let clip, let file else {
            throw ToolFailure(
                "A tone of \(Decimal.text(frequency ?? 0)) Hz does not fit into a graph of \(rate) Hz; take one below "
                    + "\(Decimal.text(Double(rate) / 2)) Hz.")
        }
        throw ToolFailure(
            "\(file) has \(clip.sampleRate) Hz and the graph runs at \(rate) Hz; convert the file, or let the graph run at its rate."
        )
    }
}
