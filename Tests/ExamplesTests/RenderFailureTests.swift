// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus render` where something goes wrong: one sentence, and nothing is left.
final class RenderFailureTests: RenderTestCase {
    private func session() async throws -> DesktopSession {
        let session = try await DesktopSession.start(in: folder, daemon: startDaemon().environment())
        addTeardownBlock { try await session.close([Self.id]) }
        return session
    }

    func testAFilterThatDoesNotCome() async throws {
        let session = try await session()
        let (path, _) = try makeFile(frames: 100)
        let output = "\(folder)/o.wav"
        for (mode, words) in [
            ("exit", "Amp ended with status 3 before its filter was there; start it by hand to see why."),
            ("abort", "Amp was ended by signal 6 before its filter was there"),
            (
                "hang",
                "Amp was started, and its filter \"gain\" did not come within 1 s; it may hang, or use another daemon."
            ),
            // Its other port takes its time on a busy machine.
            ("wrong", "did not come within 5 s; it has \"not-gain\"."),
        ] {
            try session.install(Self.id, name: "Amp", mode: mode, ports: ["gain=filter"])
            try await assertFailure(
                [path, output, "--timeout", mode == "wrong" ? "5" : "1", "--through", "Amp"], output,
                at: session.environment,
                saying: words)
        }
        try
            "[Desktop Entry]\nType=Application\nName=Amp\nDBusActivatable=true\nImplements=org.pipebus.Port1;\nX-PipeBus-Ports=gain:filter:1:;\n"
            .write(toFile: "\(folder)/packages/applications/\(Self.id).desktop", atomically: true, encoding: .utf8)
        try await assertFailure(
            [path, output, "--through", "Amp"], output, at: session.environment,
            saying: "its desktop entry has no Exec line, so that only D-Bus can start it")
        try session.install(Self.id, name: "Amp", ports: ["gain=filter"])
        try session.replaceExec(of: Self.id, by: "/nonexistent/program")
        try await assertFailure(
            [path, output, "--through", "Amp"], output, at: session.environment,
            saying: "Amp could not be started (its desktop entry is gone, or its program is)")
        for (command, words) in [
            ("true", "\"true\" was started, and its filter did not come within 1 s; it ended at once with status 0"),
            ("echo oh no >&2; false", "ended with status 1 before its filter was there: oh no"),
            ("\(Programs.path(of: "tone-sender")) --frequency 440", "did not come within 1 s; it has \"out\"."),
        ] {
            try await assertFailure(
                [path, output, "--timeout", "1", "--through-command", command], output, saying: words)
        }
        try await assertFailure(
            [path, output] + host("well", "gain=filter other=filter"), output, saying: "has 2 filters")
    }

    func testNamesOfNoFilter() async throws {
        let session = try await session()
        let (path, _) = try makeFile(frames: 100)
        let output = "\(folder)/o.wav"
        try session.install(Self.id, name: "Amp", ports: ["out", "left=filter", "right=filter"])
        try session.install("org.example.tone", name: "Tone", ports: ["out"])
        for (name, words) in [
            ("Nobody", "No app called \"Nobody\" is installed"),
            ("Amp", "Amp has 2 filters; name one of them, such as \"Amp:left\" or \"Amp:right\"."),
            ("Amp:out", "\"Amp:out\" is a sender, which no sound passes through; name one of them"),
            ("Amp:middle", "Amp declares no port \"middle\""),
            ("Tone", "Tone declares no filter, so no sound passes through it"),
        ] {
            try await assertFailure(
                [path, output, "--through", name], output, at: session.environment, saying: words)
        }
        for (arguments, words) in [
            ([path, output], "Name installed filters behind --through"),
            ([path, output, "--through"], "Missing value"),
            ([path], "Name a sound file, and the file that is made."),
            (["--through", "Amp", path, output], "The files stand before --through, as all"),
            ([path, output, "--through", " "], "The name of a filter is empty"),
            ([path, output, "--through", "Amp", "--tail", "-1"], "--tail takes 0 to 3600 seconds"),
            ([path, output, "--through", "Amp", "--quantum", "8"], "--quantum takes 16 to 8192 frames"),
            ([path, output, "--through", "Amp", "--bits", "8"], "--bits takes 16, 24 or 32"),
            ([path, "\(folder)/o.mp3", "--through", "Amp"], "writes WAV, FLAC and RF64 files"),
            ([path, "\(folder)/", "--through", "Amp"], "names the folder"),
            ([path, output, "--through", "Amp", "--timeout", "nan"], "--timeout takes 0.1 to 600 seconds"),
            ([path, "\(folder)/o.flac", "--through", "Amp", "--bits", "32"], "--bits takes 16 or 24 for a FLAC file"),
        ] {
            let process = try startRender(arguments, at: session.environment)
            try await assertOneSentence(process, from: "pipebus", status: 64, saying: words)
        }
    }

    func testAFilterThatEndsOrHangsWhileItPlays() async throws {
        let (path, _) = try makeFile(frames: 200_000)
        let output = "\(folder)/o.wav"
        try await assertFailure(
            [path, output] + host("die"), output, saying: "was ended by signal 9 while it played")
        try await assertFailure(
            [path, output] + echo("--channels 1 --delay 10") + host("die") + echo("--channels 1 --delay 10"), output,
            saying: "was ended by signal 9 while it played")
        try await assertFailure(
            [path, output, "--timeout", "2"] + host("stall"), output,
            saying: "did not finish a cycle within 2 s; it may hang, and --timeout gives it longer.")
    }

    /// The sound comes as it is, and what is said is that it is not in its place.
    func testALatencyThatChanges() async throws {
        let output = "\(folder)/o.wav"
        let process = try startRender([try makeLongFile(seconds: 60), output] + host("shift"))
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0))
        XCTAssertTrue(
            process.errors.text.contains("A filter has changed its latency while it played, from 0 to 64 frames"),
            process.errors.text)
        XCTAssertEqual(try WaveFile.read(output).channels[0].count, 60 * 48_000)
    }

    func testFilesThatAreNotReplaced() async throws {
        let (path, sound) = try makeFile(frames: 1000)
        let delay = echo("--channels 1 --delay 10 --feedback 0")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/same.wav", withDestinationPath: path)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/dead.wav", withDestinationPath: "nowhere")
        try Data("old".utf8).write(to: URL(fileURLWithPath: "\(folder)/old.wav"))
        XCTAssertEqual(unsafe chmod("\(folder)/old.wav", 0o640), 0)
        for (output, words) in [
            (path, "is the file that is read"), ("\(folder)/same.wav", "is the file that is read"),
            ("\(folder)/dead.wav", "is a link to a file that is not there"), ("/dev/null", "is not a file"),
            ("\(folder)/none/o.wav", "No such file or directory"),
        ] {
            let process = try startRender([path, output, "--force"] + delay)
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
        }
        let process = try startRender([path, "\(folder)/old.wav"] + delay)
        try await assertOneSentence(
            process, from: "pipebus", status: 1, saying: "is there already; name another file, or give --force")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/old.wav")), Data("old".utf8))
        XCTAssertEqual(try WaveFile.read(path).channels, sound)
        // A link stays one, and the file keeps its permissions.
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link.wav", withDestinationPath: "old.wav")
        try await render([path, "\(folder)/link.wav", "--force"] + delay)
        XCTAssertEqual(try WaveFile.read("\(folder)/old.wav").channels, sound)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/old.wav")
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o640)
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/link.wav"), "old.wav")
    }

    /// A file that comes while it is rendered is not overwritten.
    func testANameThatIsTakenMeanwhile() async throws {
        let output = "\(folder)/o.wav"
        let process = try startRender([try makeLongFile(seconds: 30), output] + echo("--channels 1 --delay 10"))
        try await eventually("the file") { !self.unfinishedFiles.isEmpty }
        try Data("other".utf8).write(to: URL(fileURLWithPath: output))
        try await process.waitForEnd(within: .seconds(60))
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "is there already")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: output)), Data("other".utf8))
        assertNothingIsLeft(of: process)
    }

    func testAFullDisk() async throws {
        let (path, _) = try makeFile(frames: 100_000)
        let output = "\(folder)/o.wav"
        let process = try startRender(
            [path, output] + echo("--channels 1 --delay 10"), through: ["prlimit", "--fsize=65536"])
        let sentence = try await assertOneSentence(
            process, from: "pipebus", status: 1,
            saying: "\(output) could not be written (File too large); make room, or name a file on another disk.")
        XCTAssertFalse(sentence.contains(".part"))
        XCTAssertFalse(FileManager.default.fileExists(atPath: output))
        assertNothingIsLeft(of: process)
    }

    // MARK: Ends

    private func playing(_ more: [String] = []) async throws -> ChildProcess {
        let process = try startRender([try makeLongFile(), "\(folder)/o.wav"] + echo("--channels 1 --delay 10") + more)
        try await eventually("the sound") {
            guard process.ending == nil else { throw process.failure("ended") }
            return !self.unfinishedFiles.isEmpty
        }
        return process
    }

    func testASignalEndsItAndLeavesNothing() async throws {
        for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143), (SIGHUP, 129)] {
            let process = try await playing()
            process.signal(signal)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(status), process.errors.text)
            XCTAssertEqual(process.errors.text, "")
            XCTAssertFalse(FileManager.default.fileExists(atPath: "\(folder)/o.wav"))
            assertNothingIsLeft(of: process)
        }
        // Also while a cycle is not finished, or an app does not come.
        let (path, _) = try makeFile(frames: 200_000)
        for arguments in [
            ["\(folder)/o.wav", "--timeout", "600"] + host("stall"),
            ["\(folder)/o.wav", "--timeout", "600"] + host("hang"),
        ] {
            try? FileManager.default.removeItem(atPath: "\(folder)/log")
            let process = try startRender([path] + arguments)
            try await eventually("the app") { FileManager.default.fileExists(atPath: "\(self.folder)/log") }
            if arguments.last?.contains("stall") == true {
                try await eventually("the sound") { !self.unfinishedFiles.isEmpty }
            }
            process.signal(SIGTERM)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(143), process.errors.text)
            assertNothingIsLeft(of: process)
        }
    }

    /// Nobody is told of that end. Also a program ends that has left its session and its parent.
    func testAKillLeavesNoProcess() async throws {
        let escaped = [
            "--through-command", "(setsid sleep 1000 &); exec \(Programs.path(of: "echo-filter")) --channels 1",
        ]
        let process = try await playing(escaped)
        XCTAssertEqual(leftProcesses.filter { $0.hasPrefix("sleep 1000") }.count, 1)
        process.signal(SIGKILL)
        try await process.waitForEnd()
        try await eventually("the end of all processes") { self.leftProcesses.isEmpty }
        try await eventually("the private folder to go") {
            try FileManager.default.contentsOfDirectory(atPath: self.folder).allSatisfy { !$0.hasPrefix("pipebus-") }
        }
        XCTAssertEqual(unfinishedFiles.count, 1)
        // The next one removes what was left, and nothing that is in use or of others.
        let other = try await playing()
        XCTAssertEqual(unfinishedFiles.count, 1)
        let (path, _) = try makeFile(frames: 100)
        try Data().write(to: URL(fileURLWithPath: "\(folder)/.other.part"))
        let next = try startRender([path, "\(folder)/o2.wav"] + echo("--channels 1 --delay 10"))
        let ending = try await next.waitForEnd()
        XCTAssertEqual(ending, .exited(0), next.errors.text)
        XCTAssertEqual(unfinishedFiles.count, 2)
        other.signal(SIGINT)
        try await other.waitForEnd()
        XCTAssertEqual(unfinishedFiles, [".other.part"])
    }
}
