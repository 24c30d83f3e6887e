// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import PipeBusApps
import ToolSupport

/// Plays a file through live filters, faster than in real time.
struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Plays a sound file through filters, faster than live, into another file.",
        usage: """
            pipebus render <in> <out> --through <name> ... [options]
            pipebus render <in> <out> --through-command <command> ... [options]
            """,
        discussion: """
            A filter is an installed app with one filter, or a port of an app, as in "Echo:left"; `list --all` shows them. For each name a new process \
            of the app is started in a graph that nobody else sees, at the file's sample rate. If the app runs in your session too, and \
            keeps a state, the new process gets that state first. The result is what the same filters give live, to the sample. \
            Their latency is removed: each frame is where it is in the file, and the result has the length of the file.

            Nothing of your own graph is changed. A window that an app opens by itself is shown while it plays.
            """)

    @Argument(help: ArgumentHelp("The sound file: WAV, FLAC and others.", valueName: "in"))
    var input = ""
    @Argument(
        help: ArgumentHelp("The file that is made: .wav, .flac or .rf64.", valueName: "out"))
    var output = ""
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Installed filters, in the order of the sound.", valueName: "name"))
    var through: [ThroughArgument] = []
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A filter that is not installed: a line for the shell that starts it, such as \"echo-filter --delay 4800 --dry\". It stands where it is among the others.",
            valueName: "command"))
    var throughCommand: [ThroughArgument] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long the filters are heard after the end, in seconds: 0 to 3600.", valueName: "s"))
    var tail = 0.0
    @Option(
        help: ArgumentHelp(
            "16, 24 or 32 bits for each sample of the result; WAV has 32, and FLAC 24, without it.", valueName: "bits"))
    var bits: Int?
    @Option(help: ArgumentHelp("The frames in a cycle: 16 to 8192.", valueName: "frames"))
    var quantum = 1024
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest wait for the start of the filters, and for a cycle, in seconds: 0.1 to 600.", valueName: "s"))
    var timeout = 10.0
    @Flag(help: "Replaces a file that is there.")
    var force = false
    @Flag(help: "Starts apps as they are, without the state of those that run.")
    var noState = false

    func validate() throws {
        // Whoever names the files last has named no files.
        guard !input.isEmpty, !output.isEmpty else {
            throw ValidationError(
                through.count > 1
                    ? "The files stand before --through, as all that stands behind it are filters; name a sound file and the file that is made."
                    : "Name a sound file, and the file that is made.")
        }
        guard !through.isEmpty || !throughCommand.isEmpty else {
            throw ValidationError(
                "Name installed filters behind --through, or a program's command line behind --through-command; files stand before them."
            )
        }
        try Check.that("--tail", tail, isIn: 0...3600, unit: "seconds")
        try Check.that("--quantum", quantum, isIn: 16...8192, unit: "frames")
        try Check.that("--timeout", timeout, isIn: 0.1...600, unit: "seconds")
        for text in (through + throughCommand).map(\.text) where !text.contains(where: { !$0.isWhitespace }) {
            throw ValidationError(
                "The name of a filter is empty; name an installed one, or give a program's command line to --through-command."
            )
        }
        _ = try fileFormat.sampleFormat(bits: bits, orElse: "name a WAV file")
    }

    private var fileFormat: FileFormat {
        get throws {
            try SoundFileName.check(output, for: "The result", of: "pipebus render", formats: [.wav, .flac, .rf64])
        }
    }

    private var filters: [RenderFilter] {
        get throws {
            let apps = through.isEmpty ? [] : AppDirectory.apps
            let named = try through.map { ($0.place, try RenderFilter.named($0.text, among: apps)) }
            let commands = throughCommand.map { ($0.place, RenderFilter.command($0.text)) }
            return (named + commands).sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    func run() async throws {
        let watch = SignalWatch()
        // The log of the daemon in this process is none of the command's sentences.
        unsafe setenv("PIPEWIRE_DEBUG", "0", 0)
        let start = ContinuousClock.now
        let filters = try filters
        let file = try SoundFileReader(path: input)
        try check(file)
        let states = noState ? [:] : try await RenderStates.save(of: filters.compactMap(\.app))
        let stage = try await RenderStage.open(sampleRate: file.sampleRate, quantum: quantum)
        let (format, sampleFormat) = (
            try fileFormat, try fileFormat.sampleFormat(bits: bits, orElse: "name a WAV file")
        )
        let made = MadeOutput()
        let render = Render(
            input: file, filters: filters, states: states, stage: stage, quantum: quantum,
            tail: Int((tail * Double(file.sampleRate)).rounded()), limit: .milliseconds(Int64(timeout * 1000))
        ) { [output, force] channelCount in
            try made.keep(
                RenderOutput(
                    path: output, replacing: force, channelCount: channelCount, sampleRate: file.sampleRate,
                    format: sampleFormat, as: format))
        }
        let result: Render.Result
        do {
            result = try await RenderRun.run(render, until: watch)
        } catch {
            let failure = CommandFailure.of(error, in: stage.bus.state)
            made.discard()
            // A cycle may be under way that never ends. It ends with the process, as the daemon does.
            await stage.endFilters()
            throw failure
        }
        await stage.close()
        report(result, of: file, through: filters, after: start.duration(to: .now) / .seconds(1))
    }

    /// Checks all that is known before anything is started.
    private func check(_ file: SoundFileReader) throws {
        try RenderOutput.check(output, apartFrom: input)
        try UnfinishedFile.check(output, replacing: force)
        guard (8000...384_000).contains(file.sampleRate) else {
            throw ToolFailure(
                "\(input) has a sample rate of \(file.sampleRate) Hz, and a graph 8000 to 384000 Hz; convert it.")
        }
        guard try fileFormat.holds(sampleRate: file.sampleRate) else {
            throw ToolFailure("No FLAC file can have \(file.sampleRate) Hz; name a WAV file.")
        }
        if file.isCutOff {
            Terminal.complain(
                "\(input) is cut off: it has \(file.frameCount) frames, and its header says \(file.claimedFrameCount); what is there is rendered",
                as: "pipebus")
        }
    }

    private func report(
        _ result: Render.Result, of file: SoundFileReader, through filters: [RenderFilter], after seconds: Double
    ) {
        let length = Double(result.frames) / Double(file.sampleRate)
        let channels =
            result.channelCount == file.channelCount
            ? ""
            : " It has \(result.channelCount) channels, as the last filter gives, and \(input) has \(file.channelCount)."
        let latency = result.latency > 0 ? ", \(result.latency) frames of latency removed" : ""
        Terminal.report(
            "\(output): \(result.frames) frames (\(Decimal.text(length, digits: 1)) s) through \(filters.map(\.name).joined(separator: " → "))\(latency)"
                + "\(RenderProgress.speed(length, seconds)).\(channels)",
            [
                "frames": "\(result.frames)", "channels": "\(result.channelCount)", "sample_rate": "\(file.sampleRate)",
                "latency": "\(result.latency)", "cycles": "\(result.cycles)", "states": "\(result.states)",
                "invalid_cycles": "\(result.invalidCycles)", "clipped_frames": "\(result.clippedFrames)",
            ])
    }
}
