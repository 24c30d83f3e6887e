// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import ToolSupport

/// A sender that is pushed: plays what another program writes into its standard input.
@main
struct StreamingPlayer: Tool {
    static let configuration = CommandConfiguration(
        commandName: "streaming-player",
        abstract: "Plays sound from the standard input, as it comes.",
        discussion: """
            The input is a WAV stream of any length and rate (integers of 8 to 32 bits, floats, µ-law or A-law), as in "curl -s https://example.org/song.wav | streaming-player", or with \
            --rate raw samples, as in "nc -l 7000 | streaming-player --rate 44100". Nothing is read while enough waits to be played, \
            so the other program waits too. The tool ends when all of it was heard.
            """,
        version: ToolVersion.number)

    enum Sample: String, CaseIterable, ExpressibleByArgument {
        case int16, int24, int32, float32

        var format: StreamFormat.Sample {
            switch self {
            case .int16: .int16
            case .int24: .int24
            case .int32: .int32
            case .float32: .float32
            }
        }
    }

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Player"
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The input has raw samples of this rate: 8000 to 384000.", valueName: "hz"))
    var rate: Int?
    @Option(parsing: .unconditional, help: ArgumentHelp("Channels of raw samples: 1 to 64.", valueName: "n"))
    var channels = 2
    @Option(help: ArgumentHelp("Raw samples, little endian.", valueName: "kind"))
    var sample = Sample.int16
    @OptionGroup var remote: RemoteOptions

    func check() throws {
        try Check.that("--rate", rate, isIn: 8_000...384_000, unit: "Hz")
        try Check.that("--channels", channels, isIn: 1...ChannelLayout.maximumCount, unit: "channels")
        guard rate != nil || channels == 2 && sample == .int16 else {
            throw ValidationError("--channels and --sample are for raw samples; give their --rate too.")
        }
        guard isatty(STDIN_FILENO) == 0 else {
            throw ValidationError("The input is a terminal; write sound into it, as in: streaming-player < song.wav.")
        }
    }

    func run() async throws {
        let tool = ToolRun(as: "streaming-player")
        let input = StandardInputSound(
            raw: rate.map { StreamFormat(sample.format, channelCount: channels, sampleRate: $0) })
        // The port has as many channels as the sound.
        let head = try await BlockingThread.run { try input.readHead { tool.isCancelled } }
        guard let head, let channelCount = head.channelCount, let sampleRate = head.sampleRate else { return }
        let bus = try await remote.connect(
            as: "org.pipebus.streaming-player", name: name, tool: "streaming-player",
            isCancelled: { tool.isCancelled })
        let port = try await bus.sender("out", channels: .channels(channelCount))
        let player = SoundPlayer(head.sample, sampleRate: sampleRate, from: "the input")
        try await player.run(tool, of: bus, into: port) {
            if let bytes = try input.next() { return .bytes(bytes) }
            if let (frames, claimed) = input.shortfall {
                Terminal.complain(
                    "The input ended after \(frames) of the \(claimed) frames that its header claims; look at the program or file "
                        + "that it comes from", as: "streaming-player")
            }
            return nil
        }
        player.report()
    }
}
