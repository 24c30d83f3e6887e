// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus launch`, on apps in processes of their own, on a session bus of their own.
final class LaunchTests: LaunchTestCase {
    func testByItsExecLine() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out", "second"])
        try await assertLaunched(["voice synth:second"], in: session)
        let events = session.events(of: Self.id)
        XCTAssertEqual(events.first, "started for second by org.pipebus.patchbay token -")
        try await eventually("the request") {
            session.events(of: Self.id).contains("wanted second by PipeBus patchbay (org.pipebus.patchbay)")
        }
        // It runs already, and is told which port is wanted.
        for name in ["Voice Synth", "org.example.synth", "Voice Synth.out", "voice"] {
            try await assertLaunched([name], in: session)
        }
        try await eventually("the other request") {
            session.events(of: Self.id).contains("wanted out by PipeBus patchbay (org.pipebus.patchbay)")
        }
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
    }

    func testOverDBus() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out"], isDBusActivatable: true)
        try await assertLaunched(["Voice Synth:out"], in: session)
        XCTAssertEqual(session.events(of: Self.id).first, "started by D-Bus")
        try await eventually("the request") {
            session.events(of: Self.id).contains("wanted out by PipeBus patchbay (org.pipebus.patchbay)")
        }
    }

    /// A child has neither the priority nor the descriptors of the patchbay, and is in no session of it.
    func testWhatAChildInherits() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out"])
        let mayBeRealtime = (try? await canBeRealtime()) == true
        let wrapper =
            (mayBeRealtime ? ["chrt", "--rr", "10"] : []) + [
                "sh", "-c", "exec 7</dev/null; trap '' PIPE INT; exec \"$@\"", "sh",
            ]
        try await assertLaunched(["Voice Synth"], in: session, through: wrapper)
        let line = session.events(of: Self.id).first { $0.hasPrefix("scheduling") }
        XCTAssertEqual(line, "scheduling 0 descriptors 0,1,2 leader true")
    }

    private func canBeRealtime() async throws -> Bool {
        try await ChildProcess("chrt", ["--rr", "10", "true"]).waitForEnd() == .exited(0)
    }

    /// Words of an entry are words: no shell reads them. The token that a desktop gives a patchbay is passed on.
    func testNoWordReachesAShell() async throws {
        let session = try await session(at: startDaemon())
        let odd =
            #" -- "\\$(touch FOLDER/made)" "\\`touch FOLDER/made\\`" ";" "touch FOLDER/made" "'" "%%" "a  b" '; touch FOLDER/made'"#
            .replacing("FOLDER", with: folder)
        try session.install(Self.id, name: "Voice Synth", ports: ["out"], furtherWords: odd)
        let process = try start(
            "pipebus", ["launch", "Voice Synth"], at: session.environment, adding: ["XDG_ACTIVATION_TOKEN": "token-7"])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        XCTAssertFalse(FileManager.default.fileExists(atPath: "\(folder)/made"))
        let events = session.events(of: Self.id)
        XCTAssertEqual(events.first, "started for - by org.pipebus.patchbay token token-7")
        let words = events.first { $0.hasPrefix("words") } ?? ""
        XCTAssertTrue(words.contains("\"$(touch \(folder)/made)\", \"`touch \(folder)/made`\", \";\""), words)
        XCTAssertTrue(words.contains("\"%\", \"a  b\""), words)
    }

    func testTenAtOnceStartOne() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out"])
        let processes = try (0..<10).map { _ in try launch(["Voice Synth", "--timeout", "60"], in: session) }
        for process in processes {
            let ending = try await process.waitForEnd(within: .seconds(70))
            XCTAssertEqual(ending, .exited(0), process.errors.text)
        }
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
    }

    func testWhatGoesWrongIsAReason() async throws {
        let session = try await session(at: startDaemon())
        try await assertFailure(
            ["nobody"], in: session, saying: "No app called \"nobody\" is installed that declares ports")
        try session.install(Self.id, name: "Voice Synth", mode: "exit", ports: ["out"])
        try await assertFailure(["Voice Sinth"], in: session, saying: "is \"Voice Synth\" meant?")
        try await assertFailure(["Voice Synth:in"], in: session, saying: "Voice Synth declares no port \"in\"")
        try await assertFailure(["Voice Synth"], in: session, saying: "was started and ended at once with status 3")
        try session.install(Self.id, name: "Voice Synth", mode: "abort", ports: ["out"])
        try await assertFailure(["Voice Synth"], in: session, saying: "was ended by signal 6 at once")
        try session.install(Self.id, name: "Voice Synth", mode: "hang", ports: ["out"])
        try await assertFailure(
            ["Voice Synth", "--timeout", "0.7"], in: session,
            saying: "its port \"out\" did not come within 700 ms; it has no port, and runs as process")
        try await session.endHosts(Self.id)
        try session.install(Self.id, name: "Voice Synth", mode: "wrong", ports: ["out"])
        try await assertFailure(
            ["Voice Synth", "--timeout", "5"], in: session, saying: "did not come within 5 s; it has \"not-out\".")
        try await session.endHosts(Self.id)
        try session.replaceExec(of: Self.id, by: "/nonexistent/program")
        try await assertFailure(
            ["Voice Synth"], in: session,
            saying: "Voice Synth could not be started (its desktop entry is gone, or its program is)")
    }

    func testWhatGoesWrongOverDBus() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out"], isDBusActivatable: true, hasService: false)
        try await assertFailure(["Voice Synth"], in: session, saying: "and no service file does")
        try session.install(Self.id, name: "Voice Synth", mode: "exit", ports: ["out"], isDBusActivatable: true)
        try await eventuallyKnown(session)
        try await assertFailure(["Voice Synth"], in: session, saying: "Voice Synth could not be started (")
        try session.install(Self.id, name: "Voice Synth", mode: "hang", ports: ["out"], isDBusActivatable: true)
        try await eventuallyKnown(session)
        try await assertFailure(
            ["Voice Synth", "--timeout", "1"], in: session, saying: "did not answer within 1 s of its start")
        try await session.endHosts(Self.id)
        session.signalBus(SIGSTOP)
        try await assertFailure(["Voice Synth"], in: session, saying: "there is no session bus")
        session.signalBus(SIGCONT)
        session.signalBus(SIGKILL)
        try await eventually("the end of the bus") {
            let process = try self.launch(["Voice Synth"], in: session)
            try await process.waitForEnd()
            return process.errors.text.contains("there is no session bus")
        }
    }

    /// Waits until the bus has read its service files again.
    private func eventuallyKnown(_ session: DesktopSession) async throws {
        let reload = try ChildProcess(
            "gdbus",
            [
                "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
                "org.freedesktop.DBus.ReloadConfig",
            ],
            environment: session.environment)
        try await reload.waitForEnd()
    }

    func testConnectLaunchesWhatIsMissing() async throws {
        let daemon = try await startDaemon()
        let session = try await session(at: daemon)
        try session.install(Self.id, name: "Voice Synth", ports: ["out", "second"])
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.receiver("in", state: ()) { _, _, _ in }
        func connect(_ arguments: [String]) async throws -> ChildProcess {
            let process = try start("pipebus", ["connect"] + arguments, at: session.environment)
            try await process.waitForEnd()
            return process
        }
        let without = try await connect(["Voice Synth", "Test", "--no-launch", "--timeout", "0.3"])
        XCTAssertEqual(without.ending, .exited(1))
        XCTAssertEqual(session.processes(of: Self.id), [])
        let missing = try await connect(["Voice Synth:third", "Test", "--timeout", "0.3"])
        XCTAssertEqual(missing.ending, .exited(1))
        for path in [["Voice Synth", "Nope"], ["Voice Synth", "Nope", "Test"]] {
            let vain = try await connect(path + ["--timeout", "0.3"])
            XCTAssertEqual(vain.ending, .exited(1))
            XCTAssertTrue(
                vain.errors.text.contains("No port \"Nope\" came within 300 ms, and no app is installed"),
                vain.errors.text)
            XCTAssertEqual(session.processes(of: Self.id), [])
        }
        let connected = try await connect(["voice synth:second", "Test"])
        XCTAssertEqual(
            connected.output.text, "source='Voice Synth.second' destination=Test.in links=2", connected.errors.text)
        let path = try await connect(["Voice Synth", "Test"])
        XCTAssertEqual(path.ending, .exited(0), path.errors.text)
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
        try await session.endHosts(Self.id)
        try await eventually("an empty graph") { await bus.graph.connections.isEmpty }
        try session.install(Self.id, name: "Voice Synth", mode: "exit", ports: ["out"])
        let failed = try await connect(["Voice Synth", "Test"])
        XCTAssertEqual(failed.ending, .exited(1))
        XCTAssertTrue(failed.errors.text.contains("ended at once with status 3"), failed.errors.text)
    }

    func testARoutingStartsItsApps() async throws {
        let daemon = try await startDaemon()
        let session = try await session(at: daemon)
        try session.install(Self.id, name: "Voice Synth", ports: ["out", "second"])
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.receiver("in", state: ()) { _, _, _ in }
        for port in ["Voice Synth:out", "Voice Synth:second"] {
            let process = try start("pipebus", ["connect", port, "Test"], at: session.environment)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
        }
        let save = try start("pipebus", ["save", "\(folder)/song.json"], at: session.environment)
        let saved = try await save.waitForEnd()
        XCTAssertEqual(saved, .exited(0), save.errors.text)
        try await session.endHosts(Self.id)
        try await eventually("an empty graph") { await bus.graph.connections.isEmpty }
        let without = try start("pipebus", ["load", "\(folder)/song.json", "--no-launch"], at: session.environment)
        let nothing = try await without.waitForEnd()
        XCTAssertEqual(nothing, .exited(1))
        XCTAssertEqual(session.processes(of: Self.id), [])
        let load = try start("pipebus", ["load", "\(folder)/song.json"], at: session.environment)
        let loaded = try await load.waitForEnd()
        XCTAssertEqual(loaded, .exited(0), load.errors.text)
        try await eventually("both connections") { await bus.graph.connections.count == 2 }
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
        try await session.endHosts(Self.id)
        let run = try start("pipebus", ["run", "\(folder)/song.json"], at: session.environment)
        try await eventually("both connections again") { await bus.graph.connections.count == 2 }
        run.signal(SIGTERM)
        try await run.waitForEnd()
    }

    /// It wants a display, also where the app opens no window.
    func testGTKLaunchesIt() async throws {
        let session = try await session(at: startDaemon())
        // Xvfb chooses a display that is free, and says which.
        let server = try ChildProcess(
            "Xvfb", ["-displayfd", "1", "-screen", "0", "64x64x8", "-nolisten", "tcp"],
            environment: session.environment)
        let display = try await server.nextLine()
        let environment = session.environment.merging(["DISPLAY": ":\(display)", "NO_AT_BRIDGE": "1"]) { $1 }
        for isDBusActivatable in [false, true] {
            try session.install(
                Self.id, name: "Voice Synth", ports: ["out"], isDBusActivatable: isDBusActivatable)
            if isDBusActivatable { try await eventuallyKnown(session) }
            let process = try ChildProcess("gtk-launch", [Self.id], environment: environment)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            try await eventually("the app") { session.events(of: Self.id).contains("service true") }
            XCTAssertEqual(
                session.events(of: Self.id).first, isDBusActivatable ? "started by D-Bus" : "started normally")
            try await session.endHosts(Self.id)
        }
        server.signal(SIGTERM)
        try await server.waitForEnd()
    }

    /// The desktop's own tools start it and talk to it.
    func testForeignTools() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out"], isDBusActivatable: true)
        for arguments in [
            ["gapplication", "launch", Self.id], ["gapplication", "action", Self.id, "pipebus-port", "'out'"],
            ["gapplication", "action", Self.id, "other", "'out'"],
        ] {
            let process = try ChildProcess(arguments[0], Array(arguments.dropFirst()), environment: session.environment)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
        }
        try await eventually("the requests") {
            let events = session.events(of: Self.id)
            return events.contains("show -") && events.contains("wanted out by - (-)")
        }
        let events = session.events(of: Self.id)
        XCTAssertEqual(events.filter { $0.hasPrefix("wanted") }.count, 1)
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
        // By the file it is started once more, and goes on without the name.
        let gio = try ChildProcess(
            "gio", ["launch", "\(folder)/packages/applications/\(Self.id).desktop"], environment: session.environment)
        let ending = try await gio.waitForEnd()
        XCTAssertEqual(ending, .exited(0), gio.errors.text)
        try await eventually("a second process") { session.events(of: Self.id).contains("service false") }
    }
}
