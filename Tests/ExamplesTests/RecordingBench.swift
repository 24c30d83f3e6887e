// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A recorder of separate sources on a graph that the test steps, and sources of which every sample is known by the
/// graph's position.
struct RecordingBench {
    let test: ToolTestCase
    let stepper: GraphStepper
    let bus: BusClient
    let tool: ChildProcess
    /// The path of the recording.
    let path: String
    let signal = TestSignal(.noise(seed: 77), gain: 0.25)

    /// The result of a recording.
    struct Result {
        /// Where it begins, on the graph's clock.
        var start: Int
        var files: [String: WaveFile.Contents]
        /// The figures of the tool's last line, for all files.
        var figures: [String: String]
        /// The figures of each file's line.
        var tracks: [String: [String: String]]
    }

    /// No position is older than the signal.
    private static let origin = 1 << 24

    /// - Parameter name: the client's, which has the sources.
    func addSource(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: Int = 0,
        to client: BusClient? = nil
    ) async throws -> SenderPort {
        let signal = signal
        return try await (client ?? bus).sender(
            name, title: title, channels: channels, latency: .frames(latency), state: ()
        ) {
            _, cycle, output in
            // It was made that long ago.
            let first = UInt64(Self.origin + Int(cycle.position) - latency)
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices {
                    samples[frame] = signal.sample(frame: first + UInt64(frame), channel: channel)
                }
            }
        }
    }

    /// Starts a filter that is a pure delay.
    func addDelay(_ frames: Int, as name: String, channels: Int = 2) async throws {
        let arguments = ["--delay", "\(frames)", "--feedback", "0", "--name", name, "--channels", "\(channels)"]
        let filter = try test.start("echo-filter", arguments, at: stepper.environment())
        try await test.waitForPort("\(name).echo", of: filter, seenBy: bus)
    }

    func connect(_ source: some PortDesignator & Sendable, to destination: String = "Recorder") async throws {
        try await bus.connect(source, to: destination)
        try await stepper.settle()
    }

    func disconnect(_ source: some PortDesignator & Sendable) async throws {
        try await bus.disconnect(source, from: "Recorder")
        try await stepper.settle()
    }

    /// The expected content of a source's file: the signal as it was made from one position of the graph to another,
    /// and silence before and after.
    ///
    /// - Parameter late: number of frames between making and arrival.
    func expected(
        _ made: [Range<Int>], channel: Int = 0, in result: Result, count: Int, late: Int = 0
    ) -> [Float] {
        (0..<count).map { frame in
            let position = result.start + frame - late
            guard made.contains(where: { $0.contains(position) }) else { return 0 }
            return signal.sample(frame: UInt64(Self.origin + position), channel: channel)
        }
    }

    /// Ends the recorder and reads what it wrote.
    func finish(signal number: Int32? = SIGINT) async throws -> Result {
        if let number { tool.signal(number) }
        let figures = try await test.figures(of: tool)
        var files: [String: WaveFile.Contents] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".wav") {
            files[name] = try WaveFile.read("\(path)/\(name)")
        }
        var tracks: [String: [String: String]] = [:]
        for line in tool.output.lines where line.hasPrefix("track_frames=") {
            let parts = line.components(separatedBy: " file=")
            XCTAssertEqual(parts.count, 2, line)
            tracks[parts[1].trimmingCharacters(in: ["'"])] = Dictionary(
                uniqueKeysWithValues: parts[0].split(separator: " ").map { pair in
                    let words = pair.split(separator: "=")
                    return (String(words[0]), String(words[1]))
                })
        }
        XCTAssertEqual(Set(tracks.keys), Set(files.keys))
        for (name, file) in files {
            XCTAssertEqual(tracks[name]?["track_frames"], figures["frames"], name)
            XCTAssertEqual("\(file.channels[0].count)", figures["frames"], name)
            XCTAssertEqual(tracks[name]?["channels"], "\(file.channels.count)", name)
        }
        return Result(
            start: Int(figures["first_position"] ?? "") ?? 0, files: files, figures: figures, tracks: tracks)
    }
}

extension ToolTestCase {
    /// Starts a recorder of separate sources.
    func startBench(
        _ arguments: [String] = [], sampleRate: Int = 48_000, through wrapper: [String] = []
    ) async throws -> RecordingBench {
        let stepper = try await startStepper(sampleRate: sampleRate)
        let bus = try await connectClient(to: stepper.remote)
        let path = "\(folder)/tracks-\(sampleRate)-\(arguments.joined())"
        let tool = try start(
            "track-recorder", ["--separate", "--output", path] + arguments, at: stepper.environment(), through: wrapper)
        // The line that scripts wait for.
        let line = try await tool.nextLine()
        XCTAssertEqual(line, "port=Recorder.in")
        return RecordingBench(test: self, stepper: stepper, bus: bus, tool: tool, path: path)
    }
}
