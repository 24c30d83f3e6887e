// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus render` through installed apps, in a session of the test's own.
final class RenderAppTests: RenderTestCase {
    private func session() async throws -> (DesktopSession, HeadlessPipeWire) {
        let daemon = try await startDaemon()
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment())
        addTeardownBlock { try await session.close([Self.id]) }
        return (session, daemon)
    }

    /// Starts a process of the app in the user's graph.
    private func startUsersOwn(
        in session: DesktopSession, mode: String = "well", stateSize: Int
    ) async throws -> ChildProcess {
        try session.setStateSize(stateSize, of: Self.id)
        let process = try start(
            "app-host", [Self.id, "Amp", session.log(of: Self.id), mode, "gain=filter"], at: session.environment)
        try await eventually("the service") { session.events(of: Self.id).contains("service true") }
        // A process that is started from now on begins otherwise.
        try session.setStateSize(8, of: Self.id)
        return process
    }

    private func assertGain(_ gain: Float, of sound: [Float], in output: String, line: UInt = #line) throws {
        assertSamples(try WaveFile.read(output).channels[0], equal: sound.map { gain * $0 }, line: line)
    }

    func testAnAppByItsNames() async throws {
        let (session, _) = try await session()
        try session.install(Self.id, name: "Amp", ports: ["out", "gain=filter"])
        let (path, sound) = try makeFile(frames: 4001)
        for name in ["Amp", "amp", Self.id, "Amp:gain", "Amp.gain", "org.example.amp:gain"] {
            let figures = try await render(
                [path, "\(folder)/o.wav", "--force", "--through", name], at: session.environment)
            XCTAssertEqual(figures["states"], "0")
            try assertGain(5 / 8, of: sound[0], in: "\(folder)/o.wav")
        }
        // Each name is a process of its own.
        try await render(
            [path, "\(folder)/o.wav", "--force", "--through", "Amp", "Amp", "Amp"], at: session.environment)
        try assertGain(5 / 8, of: sound[0].map { 5 / 8 * (5 / 8 * $0) }, in: "\(folder)/o.wav")
        let wanted = session.events(of: Self.id).filter { $0.hasPrefix("started for gain by org.pipebus.render") }
        XCTAssertEqual(wanted.count, 9)
        XCTAssertEqual(session.events(of: Self.id).filter { $0 == "service true" }.count, 9)
    }

    /// Installed filters and commands stand as they are typed.
    func testTheOrderOfTheCommandLine() async throws {
        let (session, _) = try await session()
        try session.install(
            "org.pipebus.echo-filter", name: "Echo", running: "echo-filter",
            ["--channels", "1", "--delay", "100", "--feedback", "0"], ports: "echo:filter:1:Echo;")
        try session.install(Self.id, name: "Amp", ports: ["gain=filter"])
        let (path, sound) = try makeFile(frames: 3001)
        // Rounded once behind the gain, and once behind the echo: another order gives other samples.
        let dry = "--dry --channels 1 --delay 50 --feedback 0.3"
        let chains: [([String], [Float])] = [
            (
                ["--through", "Amp", "Echo"] + echo(dry),
                echoes(sound[0].map { 5 / 8 * $0 }, delay: 50, feedback: 0.3, isDry: true)
            ),
            (
                echo(dry) + ["--through", "Echo", "Amp"],
                echoes(sound[0], delay: 50, feedback: 0.3, isDry: true).map { 5 / 8 * $0 }
            ),
            (
                ["--through", "Echo"] + echo(dry) + ["--through", "Amp"],
                echoes(sound[0], delay: 50, feedback: 0.3, isDry: true).map { 5 / 8 * $0 }
            ),
        ]
        for (chain, expected) in chains {
            let figures = try await render([path, "\(folder)/o.wav", "--force"] + chain, at: session.environment)
            XCTAssertEqual(figures["latency"], "100")
            assertSamples(try WaveFile.read("\(folder)/o.wav").channels[0], equal: expected)
        }
    }

    /// What the user hears of the app is what is rendered, and nothing of it is disturbed.
    func testTheStateOfTheAppThatRuns() async throws {
        let (session, daemon) = try await session()
        for isDBusActivatable in [false, true] {
            try session.install(Self.id, name: "Amp", ports: ["gain=filter"], isDBusActivatable: isDBusActivatable)
            let users = try await startUsersOwn(in: session, stateSize: 3)
            let bus = try await connectClient(to: daemon.remote)
            let before = await bus.graph
            let (path, sound) = try makeFile(frames: 5003)
            let figures = try await render(
                [path, "\(folder)/o.wav", "--force", "--through", "Amp"], at: session.environment)
            XCTAssertEqual(figures["states"], "1")
            try assertGain(3 / 8, of: sound[0], in: "\(folder)/o.wav")
            let without = try await render(
                [path, "\(folder)/o.wav", "--force", "--no-state", "--through", "Amp"], at: session.environment)
            XCTAssertEqual(without["states"], "0")
            try assertGain(1, of: sound[0], in: "\(folder)/o.wav")
            let after = await bus.graph
            XCTAssertEqual(after.ports, before.ports)
            XCTAssertNil(users.ending)
            XCTAssertEqual(session.events(of: Self.id).filter { $0.hasPrefix("load") }.count, 1)
            users.signal(SIGTERM)
            try await users.waitForEnd()
            try await session.endHosts(Self.id)
        }
    }

    func testAStateThatIsNotGivenIsAReason() async throws {
        let (session, _) = try await session()
        try session.install(Self.id, name: "Amp", ports: ["gain=filter"])
        let (path, _) = try makeFile(frames: 100)
        let output = "\(folder)/o.wav"
        for (mode, words) in [
            (
                "refuse",
                "Amp runs, and did not give its state (org.example.amp refused: The song is being written); --no-state renders"
            ),
            ("slow", "did not answer within 2 s"),
        ] {
            let users = try await startUsersOwn(in: session, mode: mode, stateSize: 3)
            let arguments = [path, output, "--through", "Amp"]
            let process = try startRender(arguments, at: session.environment)
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
            XCTAssertFalse(FileManager.default.fileExists(atPath: output))
            let figures = try await render(arguments + ["--no-state", "--force"], at: session.environment)
            XCTAssertEqual(figures["states"], "0")
            try FileManager.default.removeItem(atPath: output)
            users.signal(SIGKILL)
            try await users.waitForEnd()
            try await session.endHosts(Self.id)
        }
        // One that keeps none is rendered as it starts.
        let users = try await startUsersOwn(in: session, mode: "forgetful", stateSize: 3)
        let figures = try await render([path, output, "--through", "Amp"], at: session.environment)
        XCTAssertEqual(figures["states"], "0")
        users.signal(SIGTERM)
        try await users.waitForEnd()
    }

    func testWithoutAProgramForABus() async throws {
        let (session, _) = try await session()
        try session.install(Self.id, name: "Amp", ports: ["gain=filter"])
        let (path, sound) = try makeFile(frames: 1000)
        let programs = "\(folder)/bin"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        for program in ["sh", "timeout", "cat", "rm"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs)/\(program)", withDestinationPath: "/bin/\(program)")
        }
        let environment = session.environment.merging(["PATH": programs]) { $1 }
        try await render([path, "\(folder)/o.wav", "--through", "Amp"], at: environment)
        try assertGain(5 / 8, of: sound[0], in: "\(folder)/o.wav")
        let users = try await startUsersOwn(in: session, stateSize: 3)
        try await assertFailure(
            [path, "\(folder)/no.wav", "--through", "Amp"], "\(folder)/no.wav", at: environment,
            saying: "Amp cannot be given its state without a bus of its own; install dbus-daemon, or give --no-state.")
        users.signal(SIGTERM)
        try await users.waitForEnd()
    }
}
