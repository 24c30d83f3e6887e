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
            tone-sender --file <sound> [--loop] [options]
            """,
        discussion: """
            Plays while something is connected. The start waits for a tenth of a second after every channel was \
            linked, or for a second if some are not, so that nothing of it is lost on the way. A file may be of any length: \
            it is read while it plays. Without --loop it is played once, and then the tool ends.
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
            "Sends a sound file: WAV, FLAC or another format of libsndfile, with 1 to 64 channels and a rate of 8000 to 384000 Hz, which is "
                + "converted to the graph's. Either this or --frequency is needed, and not both.", valueName: "sound"))
    var file: String?
    @Flag(help: "Repeats the file, without a gap; a tone has no end by itself.")
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
            throw ValidationError("Say what to send: either --frequency HZ or --file SOUND, and not both.")
        }
        guard file != "" else { throw ValidationError("--file is empty; name a sound file, such as song.wav.") }
        guard file != "-" else {
            throw ValidationError(
                "--file takes a file and not standard input, which streaming-player plays; name one, or ./- if it is called so."
            )
        }
        guard !loop || file != nil else {
            throw ValidationError("--loop is for --file; leave it out, since a tone goes on by itself.")
        }
        try Check.that("--frequency", frequency, isIn: 1...96_000, unit: "Hz")
        try Check.that("--gain", gain, isIn: -120...24, unit: "dB")
        try Check.that("--latency", latency, isIn: 0...1_048_576, unit: "frames")
        try Check.that("--duration", duration, isIn: 0.001...604_800, unit: "seconds")
    }

    func run() async throws {
        let tool = ToolRun(as: "tone-sender")
        // Before anything else: a file that cannot be played is no reason to wait for a daemon.
        let sound = try file.map {
            try FileSound(
                path: $0, isLooped: loop, gain: Decimal.gain(ofDecibels: gain ?? 0), seconds: duration)
        }
        let bus = try await remote.connect(
            as: "org.pipebus.tone-sender", name: name, tool: "tone-sender", isCancelled: { tool.isCancelled })
        if let sound { try await send(sound, to: bus, tool) } else { try await sendTone(to: bus, tool) }
    }

    private func send(_ sound: FileSound, to bus: BusClient, _ tool: ToolRun) async throws {
        let port = try await bus.sender("out", title: title, channels: .channels(sound.channelCount))
        let player = SoundPlayer(.float32, sampleRate: sound.sampleRate, from: "the disk")
        // A tenth of a second at a time.
        try await player.run(tool, of: bus, into: port, latency: latency) {
            try sound.next(sound.sampleRate / 10).map { .floats($0) }
        }
        player.report()
    }

    private func sendTone(to bus: BusClient, _ tool: ToolRun) async throws {
        if let rate = bus.clock?.sampleRate { try checkFrequency(atRate: rate) }
        let progress = Progress()
        let player = TonePlayer(
            frequency: frequency ?? 440, gain: Decimal.gain(ofDecibels: gain ?? -12),
            schedule: Schedule(seconds: duration, reportingTo: progress))
        let port = try await bus.sender(
            "out", title: title, channels: .mono, latency: .frames(latency), state: player
        ) { player, cycle, output in
            player.render(cycle, into: &output)
        }
        try Terminal.announce("port", port.nodeName)
        try await tool.keep(bus, until: { progress.isOver(whileConnected: port.isConnected) }) {
            let destinations = try? await port.state.destinations
            return ["\(port.nodeName): \(progress.line(to: destinations?.map(\.title) ?? []))"]
        }
        // A device may have another rate than the daemon announces, and it may change later.
        if let rate = progress.refusedRate { try checkFrequency(atRate: rate) }
        progress.report()
    }

    /// From half the rate on, a tone would be heard as another one.
    private func checkFrequency(atRate rate: Int) throws {
        guard let frequency, 2 * frequency >= Double(rate) else { return }
        throw ToolFailure(
            "A tone of \(Decimal.text(frequency)) Hz does not fit into a graph of \(rate) Hz; take one below "
                + "\(Decimal.text(Double(rate) / 2)) Hz, or give the graph a higher rate (pw-metadata -n settings 0 clock.force-rate HZ)."
        )
    }
}
