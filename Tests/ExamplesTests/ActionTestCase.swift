// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests with installed actions on a session bus of their own.
class ActionTestCase: ToolTestCase {
    /// Where temporary files would be: none is ever left there.
    var temporary: String { "\(folder)/tmp" }
    /// Where the sounds are.
    var sounds: String { "\(folder)/sounds" }

    /// - Parameter preload: a library that all programs of the session load first.
    func actionSession(preload: String? = nil) async throws -> DesktopSession {
        for name in [temporary, sounds] {
            try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
        }
        let nowhere = "/nonexistent/pipebus"
        var environment = ChildEnvironment.isolated(
            runtimeDirectory: nowhere, remote: "\(nowhere)/pipewire-0", installation: .system)
        environment["TMPDIR"] = temporary
        environment["LD_PRELOAD"] = preload
        // The database of types is the system's.
        let session = try await DesktopSession.start(
            in: folder, daemon: environment, packages: "\(folder)/packages:/usr/share")
        addTeardownBlock { [folder] in
            try await session.close([])
            try await Self.endHosts(of: folder)
        }
        return session
    }

    /// Ends the processes of `action-host` that are left: those that hang, or that somebody has stopped.
    func endHosts() async throws { try await Self.endHosts(of: folder) }

    private static func endHosts(of folder: String) async throws {
        for process in hosts(of: folder) { kill(process, SIGKILL) }
        try await eventually("the end of all actions") { hosts(of: folder).isEmpty }
    }

    /// The processes of `action-host` in the session of a test.
    static func hosts(of folder: String) -> [Int32] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return processes.filter { process in
            func text(_ name: String) -> String {
                (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/\(name)")))
                    .map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
            return text("cmdline").contains("action-host\0")
                && text("environ").contains("=unix:path=\(folder)/run/bus")
        }
    }

    /// Installs an `action-host`, as a package would.
    ///
    /// - Parameters:
    ///   - kind: which: `One`, `Several`, `Asking`, or `Lying`.
    ///   - keys: further lines of the entry.
    func installHost(_ kind: String, keys: String = "", in session: DesktopSession) async throws {
        let id = "org.pipebus.test.\(kind)"
        let program = Programs.path(of: "action-host")
        try """
        [Desktop Entry]
        Type=Application
        Name=Test \(kind)
        Exec=env ACTION_HOST=\(kind) \(program) --beside %F
        Implements=org.pipebus.AudioAction1;
        X-PipeBus-Accepts=audio/*;
        X-PipeBus-Suffix=Tested
        X-PipeBus-Files=\(kind == "Several" ? "several" : "one")
        X-PipeBus-Interactive=\(kind == "Asking")
        X-PipeBus-Parameters=mode:choice:\(Self.modes(of: kind).joined(separator: ",")):copy:Mode;
        \(keys)
        """.write(toFile: "\(folder)/packages/applications/\(id).desktop", atomically: true, encoding: .utf8)
        try """
        [D-BUS Service]
        Name=\(id)
        Exec=/usr/bin/env ACTION_HOST=\(kind) \(program) \(kind == "Lying" ? "--lie" : "--pipebus-service")

        """.write(toFile: "\(folder)/data/dbus-1/services/\(id).service", atomically: true, encoding: .utf8)
        try await reloadBus(in: session)
    }

    static func modes(of kind: String) -> [String] {
        kind == "Lying"
            ? [
                "copy", "refuse", "path", "type", "silent", "vanish", "empty", "text", "head", "folder", "pipe",
                "missing",
                "nothing", "none", "code", "words", "shape", "sparse", "names", "progress", "late", "many",
                "reopen", "blind",
            ] : ["copy", "fail", "throw", "crash", "exit", "hang", "stop", "slow", "none", "join", "two"]
    }

    /// Has the bus read its service files again.
    func reloadBus(in session: DesktopSession) async throws {
        let reload = try ChildProcess(
            "gdbus",
            [
                "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
                "org.freedesktop.DBus.ReloadConfig",
            ],
            environment: session.environment)
        try await reload.waitForEnd()
    }

    /// Writes a WAV file of 16 bits with noise.
    ///
    /// - Returns: its path.
    @discardableResult
    func writeSound(_ name: String = "Speech.wav", frameCount: Int = 4800, channelCount: Int = 2) throws -> String {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let size = frameCount * channelCount * 2
        var file = Array("RIFF".utf8) + bytes(36 + size, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + bytes(1, 2)
        file +=
            bytes(channelCount, 2) + bytes(48_000, 4) + bytes(48_000 * channelCount * 2, 4) + bytes(channelCount * 2, 2)
        file += bytes(16, 2) + Array("data".utf8) + bytes(size, 4)
        var state: UInt32 = 1
        for _ in 0..<frameCount * channelCount {
            state = state &* 1_664_525 &+ 1_013_904_223
            file += [UInt8(truncatingIfNeeded: state >> 16), UInt8(truncatingIfNeeded: state >> 24)]
        }
        let path = "\(sounds)/\(name)"
        try Data(file).write(to: URL(fileURLWithPath: path))
        return path
    }

    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    func content(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// Waits until no temporary file is there: a process that was killed has its files until it is gone.
    func assertNothingTemporary(file: StaticString = #filePath, line: UInt = #line) async throws {
        try await eventually("an empty folder for temporary files") { try self.names(in: self.temporary).isEmpty }
        let hidden = try names(in: sounds).filter { $0.hasPrefix(".") }
        XCTAssertEqual(hidden, [], file: file, line: line)
    }

    /// What the host for tests prints when it runs an action.
    ///
    /// - Parameter silence: the longest time without a sign of work, in seconds.
    func call(
        _ ids: [String], mode: String, on files: [String], silence: Double = 20, in session: DesktopSession
    ) async throws -> [String] {
        let host = try start(
            "action-caller",
            ["run", ids.map { "org.pipebus.test.\($0)" }.joined(separator: ","), mode, sounds, "\(silence)"] + files,
            at: session.environment)
        let ending = try await host.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), host.errors.text)
        return host.output.lines
    }

    /// Runs a tool that succeeds.
    func run(
        _ tool: String, _ arguments: [String], in session: DesktopSession, through wrapper: [String] = [],
        line: UInt = #line
    ) async throws -> ChildProcess {
        let process = try start(tool, arguments, at: session.environment, through: wrapper)
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
        return process
    }

    /// Runs a tool that fails with one sentence.
    func fails(
        _ tool: String, _ arguments: [String], _ words: String, status: Int32 = 1, in session: DesktopSession,
        through wrapper: [String] = [], line: UInt = #line
    ) async throws {
        let process = try start(tool, arguments, at: session.environment, through: wrapper)
        try await assertOneSentence(process, from: tool, status: status, saying: words, line: line)
    }
}
