// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A receiver and a sender in one app: mixes its sources, and sends the mix on.
@main
struct TrackMixer: Tool {
    static let configuration = CommandConfiguration(
        commandName: "track-mixer",
        abstract: "Mixes up to four apps, and sends the mix on.",
        discussion: """
            Connect up to four apps to it, and it to an app or a device. Each track has a volume and a pan, set by a line on \
            the standard input, such as "volume 1 0.5", "volume 1 -6dB", "pan 2 -1", "pan 2 L30", "mute 3 on" or "solo 4 off", or by `pipebus volume`, \
            `pan`, `mute` and `solo`. An app that comes back finds its own. The mix is as late as the slowest app in it. After a \
            restart of the daemon, or of apps, another app may have the track; `pipebus volume` and the others go by the app's name.

            A mono app in the centre is 3 dB quieter on each side than at one side (constant power).
            """,
        version: ToolVersion.number)

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Mixer"
    @Option(
        help: ArgumentHelp(
            "A file that keeps the levels from run to run; two mixers need two files.", valueName: "path"))
    var levels: String?
    @OptionGroup var remote: RemoteOptions

    static let trackCount = 4

    func check() throws {
        guard levels != "" else {
            throw ValidationError("The name of the file of levels is empty; name a file, such as levels.json.")
        }
    }

    func run() async throws {
        let tool = ToolRun(as: "track-mixer")
        let file = levels.map { LevelFile(path: $0) }
        let saved = try file?.load()
        let bus = try await remote.connect(
            as: "org.pipebus.track-mixer", name: name, tool: "track-mixer", isCancelled: { tool.isCancelled })
        let passage = MixPassage(channelCount: 2)
        let input = try await bus.receiver(
            "in", lanes: Self.trackCount, levels: saved, state: passage.makeWriter()
        ) { writer, cycle, mix in
            writer.pass(mix, of: cycle)
        }
        // The sender's latency follows the receiver's. Its block runs after the receiver's, so it sends the mix of the
        // same cycle.
        let output = try await bus.sender("mix", latency: .following(input), state: passage.makeReader()) {
            reader, cycle, output in
            reader.pass(cycle, into: &output)
        }
        try Terminal.announce("port", output.nodeName)
        let commands = try CommandInput.lines()
        let typed = Task { await obey(commands, for: input) }
        let kept = Task { await keepLevels(of: input, in: file) }
        try await tool.keep(bus, until: { false }, atEnd: { await saveLevels(of: input, in: file) }) {
            await lines(from: input, to: output)
        }
        typed.cancel()
        await kept.value
    }

    private func obey(_ commands: AsyncStream<String>, for input: ReceiverPort) async {
        for await line in commands where !line.isEmpty {
            do {
                let command = try TrackCommand(line)
                try await command.perform(at: input)
                if let remark = command.remark { Terminal.complain(remark, as: "track-mixer") }
            } catch {
                complain(error)
            }
        }
    }

    /// Saves the levels after each change by any app, so that they survive the end of this process.
    private func keepLevels(of input: ReceiverPort, in file: LevelFile?) async {
        for await _ in input.sourceUpdates { await saveLevels(of: input, in: file) }
    }

    private func saveLevels(of input: ReceiverPort, in file: LevelFile?) async {
        do { try await file?.save { try? await input.levels } } catch { complain(error) }
    }

    private func complain(_ error: any Error) {
        Terminal.complain(ErrorText.sentence(for: error), as: "track-mixer")
    }

    /// The lines for a terminal: the ports' names, each track, and the mix.
    private func lines(from input: ReceiverPort, to output: SenderPort) async -> [String] {
        let sources = (try? await input.sources) ?? []
        let tracks = sources.map { source in
            let level = source.level
            let marks = (level.isMuted ? " muted" : "") + (level.isSoloed ? " solo" : "")
            let place = "volume \(Decimal.text(level.volume, digits: 2)), pan \(Decimal.text(level.pan, digits: 2))"
            let bar = LevelBar.text(input.meter(ofLane: source.lane).peak)
            return "\(source.lane + 1)  \(bar)  \(place)\(marks)  \(source.title)"
        }
        let mix =
            "   \(LevelBar.text(input.mixMeter.peak))  the mix, "
            + "\(Decimal.text(input.latency.duration / .milliseconds(1), digits: 1)) ms old"
        let names = "\(input.nodeName) → \(output.nodeName)"
        return ["\(names)\(tracks.isEmpty ? ": waiting until something is connected" : "")"] + tracks + [mix]
    }
}
