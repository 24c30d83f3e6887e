// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// A receiver: records the sound that other apps send it.
@main
struct TrackRecorder: Tool {
    static let configuration = CommandConfiguration(
        commandName: "track-recorder",
        abstract: "Records the sound of other apps into WAV, FLAC or RF64 files.",
        discussion: """
            Records from the moment when something is connected, until it is ended by --duration, its trigger, SIGINT, SIGTERM or \
            SIGHUP. The \
            files can be played at any moment. Every frame is put where it was made, whatever the latency of its source; \
            where nothing came, there is silence. Files are exact against the graph's clock; when another device takes \
            over, or the graph stands still, the time that passes is measured, and is silence. When \
            nothing has come for a day, the recording ends at the next sound.

            A WAV file that grows beyond 4 GiB becomes an RF64 file, which has no limit and which most programs read; --format rf64 makes it \
            one from the beginning. A FLAC file takes about half the room. It has up to 8 channels and says its length when the \
            recording has ended; if the recorder is killed, all of it can be played but the last 4096 frames.

            WAV and RF64 files say when their first frame was made (Broadcast Wave, a bext chunk), so an editor can put each take in its \
            place on a time line. A FLAC file has that date and time as a comment.

            With --separate every source has a file of its own, called after its title: a mono source a mono one. All \
            begin and end at the same frame. A source that comes late begins with silence, one that leaves ends in it, and \
            one that comes back goes on in its file.

            With --rate the files have that sample rate, whatever the graph's is. Each source is put at the nearest frame to its time. When \
            the graph's own rate changes, the recording ends there.

            Patchbays and other apps show and press its trigger `record`. It is `alternate` until the recording begins, then \
            `selected`, and gone with the recorder. A press while it is `selected` ends the recording as SIGINT does.

            With --armed nothing is recorded before that trigger is pressed. The recorder is in the graph from the start, and can \
            be connected. The files begin with the first frame, on the graph's clock, of the first cycle with a source that the \
            recorder gets after the press. Sound made before that frame is in no file, whatever the latency of its source, so \
            every source that is connected then begins at that frame. With --immediate the files begin with the sound that \
            comes in that cycle. Until that cycle the trigger's title is "Waiting for sound", and more presses change nothing. A \
            recorder that ends before sound from after the press comes leaves no file.

            When the disk stands still, five seconds of sound at 48 kHz are kept in memory, 1 MB for each channel of each \
            lane; 256 MB for all of them, so more than 256 channels have less time. What comes then is dropped, counted \
            and silent in its place. While a file cannot be made, it is tried again and its sound is kept in memory, \
            256 MB for all files together; what is in no file in the end is counted, and the exit status is 1.

            Without --duration the files end with the last sound: the time from there to the end of the command is not in them.

            --from names the sources to record, as `pipebus connect` does. Each is waited for as long as the recorder runs, and connected \
            when it comes, also again when it has ended. A name that is not there after two seconds is said once, with the names that are. \
            Other sources can be connected by hand, as without --from.

            In a mix a mono source in the centre is at full level in both channels, as it was sent. The channels of a source are \
            connected one after the other, so one may begin some cycles before another.

            In a mix every source waits for the slowest one. What is still waiting when the command ends is not in the file, which \
            then ends with the sound of that time before; with --duration the recorder waits for it. What is waiting when the daemon \
            ends is lost: the silence over a restart may be longer than the time without a daemon by the time that a source waits. \
            With --separate no source waits, and each file has all that arrived.

            At the end a line reports the frames that were missed (the recorder or a source was late), dropped (the disk was \
            too slow), passed in gaps (nothing came) or skipped (a source's latency fell); in their place is silence. Repeated \
            frames came for a time that was recorded already, and were left out; lost ones are in no file. With --separate \
            every file has such a line, and the last line has the figures of the file with the most of them.
            """,
        version: ToolVersion.number)

    @Option(help: ArgumentHelp("The app's name.", valueName: "name"))
    var name = "Recorder"
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connects a source, by a name that `pipebus list` shows, or its app; waits until it is there. May be given for each of several sources.",
            valueName: "source"))
    var from: [String] = []
    @Flag(help: "One file for each source.")
    var separate = false
    @Flag(help: "Waits for a press of its trigger before it records.")
    var armed = false
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The largest number of sources at once: 1 to 64.", valueName: "k"))
    var lanes = 8
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Channels of the mix and of each source: 1 to 64.", valueName: "n"))
    var channels = 2
    @Flag(help: "Does not align the sources: each is late by its latency.")
    var immediate = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "16 or 24 for integers, 32 for floating point; by default 32, and 24 for FLAC, which has no 32.",
            valueName: "b"))
    var bits: Int?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The sample rate of the files, in hertz: 8000 to 384000; by default the graph's.", valueName: "hz"))
    var rate: Int?
    @Option(
        help: ArgumentHelp(
            "wav, flac or rf64; by default as --output ends, and wav where it does not say.", valueName: "format"))
    var format: FileFormat?
    @Option(
        help: ArgumentHelp(
            "The file; one of the same format that exists is replaced when the first sound comes, which is not yet the connection: a take of "
                + "silence leaves it as it was. Any other file is left alone. It cannot be standard output. With --separate the folder: it is made "
                + "if it does not exist, and must hold no sound files if it does.", valueName: "path"))
    var output: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Ends after this time of recording, in seconds: 0.001 to 604800. It begins with the first connection, with --armed after the press. "
                + "From then on time in which "
                + "nothing is connected counts, and time in which the graph stands still does when it goes on.",
            valueName: "s"))
    var duration: Double?
    @OptionGroup var remote: RemoteOptions

    func check() throws {
        try Check.that("--lanes", lanes, isIn: 1...ReceiverPort.maximumLaneCount, unit: "lanes")
        try Check.that("--channels", channels, isIn: 1...ChannelLayout.maximumCount, unit: "channels")
        try Check.that("--rate", rate, isIn: 8000...384_000, unit: "Hz")
        try Check.that("--duration", duration, isIn: 0.001...604_800, unit: "seconds")
        // Checked here, before memory is allocated for all of them.
        guard lanes * channels <= 1024 else {
            throw ValidationError(
                "A recorder has at most 1024 channels in all lanes, not \(lanes) × \(channels); use fewer lanes or channels."
            )
        }
        try checkSources()
        guard !output.isEmpty else {
            throw ValidationError(
                "--output is empty; name \(separate ? "a folder, such as take-1" : "a file, such as take.wav").")
        }
        guard output != "-" else {
            throw ValidationError(
                "--output takes \(separate ? "a folder" : "a file") and not standard output, where the report goes; "
                    + "name one, or ./- if it is called so.")
        }
        let fileFormat = try fileFormat
        _ = try fileFormat.sampleFormat(bits: bits)
        guard rate.map(fileFormat.holds) ?? true else {
            throw ValidationError(
                "The rate of a FLAC file above 65535 Hz ends in 0, unlike \(rate ?? 0); give another --rate, or --format wav."
            )
        }
        guard channels <= fileFormat.maximumChannelCount else {
            throw ValidationError(
                "A FLAC file has at most \(fileFormat.maximumChannelCount) channels, not \(channels); give fewer with --channels, or "
                    + "--format wav.")
        }
    }

    /// The format that is given, or that the file's name says.
    private var fileFormat: FileFormat {
        get throws {
            guard !separate else { return format ?? .wav }
            return try SoundFileName.check(
                output, for: "--output", of: "track-recorder", formats: format.map { [$0] } ?? FileFormat.allCases)
        }
    }

    /// Of the only file, which begins with it and is valid from then on. The rate may be another one, which the first cycle says.
    private var header: [UInt8] {
        get throws {
            try SoundFileWriter.header(
                channelCount: channels, sampleRate: rate ?? 48_000, format: fileFormat.sampleFormat(bits: bits),
                as: fileFormat)
        }
    }

    private func checkSources() throws {
        // In the words of the library, which looks a name up only when there is a daemon.
        guard !from.contains(where: { $0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("A port cannot be found by an empty name; give an app's or a port's with --from.")
        }
        let count = Set(from).count
        guard count <= lanes else {
            throw ValidationError(
                "--from names \(count) sources, and --lanes is \(lanes); give --lanes \(count), or name fewer.")
        }
    }

    func run() async throws {
        let tool = ToolRun(as: "track-recorder")
        let names = SourceNames()
        // Before the connection, which may have to wait for a daemon: a path of no use is said at once.
        let destination: TrackWriter.Destination =
            separate
            ? .separate(try OutputFolder(path: output, format: fileFormat), names)
            : .mixed(try OutputFile(path: output, replacing: fileFormat, header: header))
        let take: Take
        do {
            take = try await begin(tool, destination)
        } catch {
            destination.discard()
            throw error
        }
        let (bus, port, writer, sources, trigger) = (take.bus, take.port, take.writer, take.sources, take.trigger)
        async let isNamed: Void = names.follow(port)
        let isConnecting = from.isEmpty ? nil : Task { await sources.run(port, of: bus) }
        let isShown = Task { await trigger.follow(take.button) }
        let levels = take.levels
        let isRead = Task { if Terminal.isInteractive { await levels.follow(port) } }
        let ending = await Result {
            try Terminal.announce("port", port.nodeName)
            try await tool.keep(
                bus, until: { writer.isOver || sources.failure != nil }, atEnd: { writer.endUnlessBegun() }
            ) {
                levels.lines(
                    of: port.nodeName, isArmed: take.progress.capture == nil, path: output,
                    seconds: take.progress.seconds, droppedFrames: writer.droppedFrames, waitingFor: sources.waiting)
            }
        }
        isShown.cancel()
        isConnecting?.cancel()
        await isConnecting?.value
        await bus.close()
        // No block is called any more, and all sources have been named: the rings hold all remaining sound.
        await isNamed
        await isRead.value
        await isShown.value
        writer.end()
        let figures = try await take.figures.value
        figures.report(isSeparate: separate)
        if let failure = figures.failure { throw failure }
        try ending.get()
        if let failure = sources.failure ?? trigger.failure { throw failure }
        if let loss = figures.loss { throw loss }
    }

    /// A recording that has begun, or an armed one. From then on its writer owns the files.
    private struct Take {
        let bus: BusClient
        let port: ReceiverPort
        let progress: RecordingProgress
        let writer: TrackWriter
        let sources: SourceConnections
        let trigger: RecordTrigger
        let button: LocalTrigger
        let levels: Levels
        let figures: Task<RecordingFigures, any Error>
    }

    private func begin(_ tool: ToolRun, _ destination: TrackWriter.Destination) async throws -> Take {
        let bus = try await remote.connect(
            as: "org.pipebus.track-recorder", name: name, tool: "track-recorder", isCancelled: { tool.isCancelled })
        do {
            let ports = RecorderPort(
                channels: channels, lanes: lanes, isSeparate: separate, isImmediate: immediate, rate: rate)
            let (port, capture) = try await armed ? ports.addArmed(to: bus) : ports.addCapture(to: bus)
            let progress = RecordingProgress(capture, isAligned: !immediate, ownRate: rate)
            let sources = SourceConnections(from) { Terminal.complain($0, as: "track-recorder") }
            try await sources.check(port, of: bus)
            let levels = Levels()
            let trigger = RecordTrigger(progress) {
                try capture.begin { try ports.makeCapture(of: port) }
                levels.begin()
            } end: {
                await bus.close()
            }
            let writer = TrackWriter(
                progress, into: destination, format: try fileFormat.sampleFormat(bits: bits), as: try fileFormat,
                seconds: duration,
                .init(ringFrames: ports.ringFrames, isConnected: { port.isConnected }, width: channels))
            let button = try await trigger.add(to: bus)
            let figures = try BlockingThread.start { writer.run() }
            return Take(
                bus: bus, port: port, progress: progress, writer: writer, sources: sources, trigger: trigger,
                button: button, levels: levels, figures: figures)
        } catch {
            await bus.close()
            throw error
        }
    }
}
