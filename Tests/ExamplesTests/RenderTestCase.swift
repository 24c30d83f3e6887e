// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of `pipebus render`: files of noise, the same chain live, and what must not be left.
class RenderTestCase: ToolTestCase {
    static let id = "org.example.amp"
    let signal = TestSignal(.noise(seed: 5), gain: 0.25)

    /// Writes noise, a different one in each channel.
    ///
    /// - Returns: the path, and the samples by channels.
    func makeFile(frames: Int, channels: Int = 1, sampleRate: Int = 48_000) throws -> (path: String, sound: [[Float]]) {
        let sound = (0..<channels).map { signal.samples(count: frames, channel: $0) }
        let path = "\(folder)/in-\(frames)-\(channels)-\(sampleRate).wav"
        let samples = (0..<frames).flatMap { frame in sound.map { $0[frame] } }
        try WaveFile.write(samples, channelCount: channels, sampleRate: sampleRate, to: path)
        return (path, sound)
    }

    /// A file of silence that takes no room on the disk, and minutes to render.
    func makeLongFile(seconds: Int = 3600) throws -> String {
        let path = "\(folder)/long.wav"
        let frames = seconds * 48_000
        try WaveFile.writeHead(ofFrames: frames, channelCount: 1, sampleRate: 48_000, to: path)
        let size = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) + 4 * frames
        XCTAssertEqual(unsafe truncate(path, off_t(size)), 0)
        return path
    }

    /// The words with which an echo stands in a chain.
    func echo(_ arguments: String) -> [String] {
        ["--through-command", "\(Programs.path(of: "echo-filter")) \(arguments)"]
    }

    /// The words with which an `app-host` of a mode does so.
    func host(_ mode: String, _ ports: String = "gain=filter") -> [String] {
        ["--through-command", "exec \(Programs.path(of: "app-host")) \(Self.id) Amp \(folder)/log \(mode) \(ports)"]
    }

    func startRender(
        _ arguments: [String], at environment: [String: String]? = nil, through wrapper: [String] = []
    ) throws -> ChildProcess {
        try start("pipebus", ["render"] + arguments, at: environment, through: wrapper, adding: ["TMPDIR": folder])
    }

    /// Renders to the end.
    ///
    /// - Returns: the figures that the command prints.
    @discardableResult
    func render(
        _ arguments: [String], at environment: [String: String]? = nil, file: StaticString = #filePath,
        line: UInt = #line
    ) async throws -> [String: String] {
        let process = try startRender(arguments, at: environment)
        try await process.waitForEnd(within: .seconds(60))
        let figures = try await figures(of: process, file: file, line: line)
        assertNothingIsLeft(of: process, file: file, line: line)
        return figures
    }

    /// Fails unless the command ends with one sentence and status 1, and leaves nothing, also not the file.
    func assertFailure(
        _ arguments: [String], _ output: String, at environment: [String: String]? = nil, saying words: String,
        file: StaticString = #filePath, line: UInt = #line
    ) async throws {
        let process = try startRender(arguments, at: environment)
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: words, file: file, line: line)
        XCTAssertFalse(FileManager.default.fileExists(atPath: output), file: file, line: line)
        assertNothingIsLeft(of: process, file: file, line: line)
    }

    /// Fails if a process of the render runs, or a file of its is left.
    func assertNothingIsLeft(of process: ChildProcess, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(leftProcesses, [], file: file, line: line)
        XCTAssertEqual(unfinishedFiles, [], file: file, line: line)
    }

    /// The processes of the test's folder that run: a render's private folder is in it, and stands in their environment.
    var leftProcesses: [String] {
        let own = "\(folder)/pipebus-"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return numbers.filter { Int32($0) != nil }.compactMap { number in
            guard
                let environment = try? String(
                    decoding: Data(contentsOf: URL(fileURLWithPath: "/proc/\(number)/environ")), as: UTF8.self),
                environment.contains(own)
            else { return nil }
            return (try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8))?
                .replacing("\0", with: " ")
        }
    }

    var unfinishedFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".part") }
    }

    /// What a chain of echoes gives live, from the first frame of the noise on.
    func live(_ echoes: [String], channels: Int, sampleRate: Int, cycles: [Int]) async throws -> [[Float]] {
        let stepper = try await startStepper(sampleRate: sampleRate)
        let bus = try await connectClient(to: stepper.remote)
        let layout = ChannelLayout.channels(channels)
        let (port, keeper) = try await bus.keeper(channels: layout)
        let (source, progress) = try await bus.source(of: signal, channels: layout)
        var path: [any PortDesignator & Sendable] = [source]
        for (place, arguments) in echoes.enumerated() {
            let tool = try start(
                "echo-filter", ["--name", "E\(place)"] + arguments.split(separator: " ").map(String.init),
                at: stepper.environment())
            try await waitForPort("E\(place).echo", of: tool, seenBy: bus)
            path.append("E\(place)")
        }
        path.append(port)
        // From the end on, so that nothing is lost at the beginning.
        for index in path.indices.dropLast().reversed() { try await connect(bus, path[index], path[index + 1]) }
        try await stepper.settle()
        try await stepper.step(cycles)
        let first = try XCTUnwrap(progress.firstPosition)
        return try (0..<channels).map { try keeper.samples(ofChannel: $0, from: first) }
    }

    private func connect(
        _ bus: BusClient, _ source: any PortDesignator & Sendable, _ destination: any PortDesignator & Sendable
    ) async throws {
        try await bus.connect(source, to: destination)
    }

    /// y(n) = x(n) + feedback · y(n − delay), in the precision and order of the filter; without the dry sound late by the delay.
    func echoes(_ samples: [Float], delay: Int, feedback: Float, isDry: Bool) -> [Float] {
        var line = samples
        for frame in line.indices.dropFirst(delay) { line[frame] += feedback * line[frame - delay] }
        return isDry ? line : [Float](repeating: 0, count: min(delay, samples.count)) + line.dropLast(delay)
    }
}
