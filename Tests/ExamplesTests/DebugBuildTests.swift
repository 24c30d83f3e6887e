// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// Apps in a debug build lose no cycle where those of a release build lose none: what the library does between an app's
/// calls is optimised in both.
///
/// Both builds run at the same time in one graph, so what the machine does to one it does to the other. The release build must
/// have been made before.
final class DebugBuildTests: ToolTestCase {
    private static let quantum = 256

    /// Frames that an app's end reports as lost.
    private struct Losses: CustomStringConvertible {
        var player = 0
        var looper = 0
        var isNone: Bool { player == 0 && looper == 0 }
        var description: String { "player \(player), looper \(looper)" }
    }

    private var builds: [(name: String, folder: String)] {
        let folder = Programs.folder
        let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
        return ["debug", "release"].map { ($0, "\(parent)/\($0)") }
    }

    func testTheyLoseNoCycleWhereAReleaseBuildLosesNone() async throws {
        for (name, folder) in builds {
            try XCTSkipUnless(
                ["tone-sender", "looper"].allSatisfy { unsafe access("\(folder)/\($0)", X_OK) == 0 },
                "There is no \(name) build of the tools; swift build -c \(name) makes it.")
        }
        // A disk player whose file is resampled, which is the most that happens between its calls.
        let path = "\(folder)/sound.wav"
        let sine = (0..<44_100).map { 0.1 * Float(sin(2 * .pi * 441 * Double($0) / 44_100)) }
        var file = try SoundFileWriter(
            try OutputFile(path: path, replacing: .wav), channelCount: 2, sampleRate: 44_100, format: .int24)
        try file.write(sine.flatMap { [$0, $0] }[...])
        try file.close()

        var seen: [String] = []
        for _ in 1...8 {
            let (debug, release) = try await runBoth(playing: path)
            if debug.isNone { return }
            seen.append("debug: \(debug); release: \(release)")
            print("DebugBuildTests: \(seen.last ?? "")")
            // The machine was busy: such a round says nothing.
            guard release.isNone else { continue }
            XCTAssertLessThan(seen.count, 5, "\(seen)")
        }
        throw XCTSkip("This machine is too busy for quantum \(Self.quantum): \(seen)")
    }

    /// Plays and loops for some seconds with both builds.
    private func runBoth(playing path: String) async throws -> (debug: Losses, release: Losses) {
        let daemon = try await startDaemon(.init(quantum: Self.quantum))
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: TestSignal(.constant, gain: 0.25), channels: .stereo)
        let listener = try await bus.receiver("listener", state: ()) { _, _, _ in }
        var tools: [(player: ChildProcess, looper: ChildProcess)] = []
        for (name, folder) in builds {
            let player = try start(
                "\(folder)/tone-sender", ["--name", "\(name) player", "--file", path, "--loop"],
                at: daemon.environment())
            let looper = try start(
                "\(folder)/looper", ["--name", "\(name) looper", "--length", "0.5"], at: daemon.environment())
            try await waitForPort("\(name) player.out", of: player, seenBy: bus)
            try await waitForPort("\(name) looper.out", of: looper, seenBy: bus)
            tools.append((player, looper))
        }
        for (name, _) in builds {
            try await bus.connect("\(name) player", to: listener)
            try await bus.connect(source, to: "\(name) looper.in")
            try await bus.connect("\(name) looper.out", to: listener)
        }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(5)
        try await eventually("five seconds of sound", within: .seconds(20)) { clock.now > end }
        var losses: [Losses] = []
        for (player, looper) in tools {
            player.signal(SIGINT)
            looper.signal(SIGINT)
            var loss = Losses()
            let played = try await figures(of: player)
            loss.player = try number("underruns", in: played) + number("missed_frames", in: played)
            XCTAssertGreaterThan(try number("frames", in: played), 3 * 44_100)
            let looped = try await figures(of: looper)
            loss.looper = try number("lost_frames", in: looped)
            XCTAssertEqual(looped["state"], "playing")
            losses.append(loss)
        }
        await bus.close()
        try await daemon.kill()
        return (losses[0], losses[1])
    }

    private func number(_ name: String, in figures: [String: String]) throws -> Int {
        try XCTUnwrap(figures[name].flatMap { Int($0) }, "\(figures)")
    }
}
