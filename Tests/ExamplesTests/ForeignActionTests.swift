// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Actions that know nothing of the library: any program, and a script that was written from Docs/Protocols.md.
final class ForeignActionTests: ActionTestCase {
    /// Installs an entry, as a package would.
    private func install(_ id: String, _ lines: String, in session: DesktopSession) throws {
        try """
        [Desktop Entry]
        Type=Application
        \(lines)

        """.write(toFile: "\(folder)/packages/applications/\(id).desktop", atomically: true, encoding: .utf8)
    }

    private func run(
        _ arguments: [String], in session: DesktopSession, status: Int32 = 0, line: UInt = #line
    ) async throws -> ChildProcess {
        let process = try start("pipebus", ["action", "run"] + arguments, at: session.environment)
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(status), process.errors.text, line: line)
        return process
    }

    func testSox() async throws {
        let session = try await actionSession()
        try install(
            "org.example.SoxReverse",
            """
            Name=Sox Reverse
            Exec=sox %f out.wav reverse
            X-PipeBus-Output=out.wav
            X-PipeBus-Suffix=Backwards
            MimeType=audio/x-wav;audio/vnd.wave;
            """, in: session)
        let path = try writeSound("A \"quoted\" $name %f.wav", frameCount: 48_000)
        let before = try content(path)
        _ = try await run(["Sox Reverse", path], in: session)
        let result = "\(sounds)/A \"quoted\" $name %f (Backwards).wav"
        // The same again is the same sound.
        _ = try await run(["Sox Reverse", result, "--output", "\(sounds)/twice.wav"], in: session)
        XCTAssertEqual(try content("\(sounds)/twice.wav").suffix(192_000), before.suffix(192_000))
        XCTAssertNotEqual(try content(result).suffix(192_000), before.suffix(192_000))
        XCTAssertEqual(try content(path), before)
        try await assertNothingTemporary()

        // What sox says is the reason.
        try install(
            "org.example.SoxWrong",
            "Name=Sox Wrong\nExec=sox %f out.wav nonsense\nX-PipeBus-Output=out.wav\nMimeType=audio/x-wav;audio/vnd.wave;",
            in: session)
        let wrong = try await run(["Sox Wrong", path], in: session, status: 1)
        XCTAssertTrue(wrong.errors.text.contains(": sox FAIL"), wrong.errors.text)
        try await assertNothingTemporary()
    }

    func testPrograms() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        let before = try content(path)
        func script(_ name: String, _ text: String) throws -> String {
            let path = "\(folder)/\(name)"
            try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return path
        }
        for (name, text, output, words) in [
            ("Nothing", "exit 0", "out.wav", "ended without the file \"out.wav\""),
            ("Text", "echo hello > out.wav", "out.wav", "gave a file that is no sound"),
            ("Link", "ln -s /etc/passwd out.wav", "out.wav", "ended without the file \"out.wav\""),
            ("Pipe", "mkfifo out.wav", "out.wav", "gave something that is no file"),
            ("Status", "echo 'one\ntwo' >&2; exit 3", "out.wav", "failed with status 3: two"),
            ("Killed", "kill -9 $$", "out.wav", "was ended by signal 9"),
            ("Gone", "rm \"$1\"", "%f", "has removed the file that it was given"),
            ("Missing program", "", "out.wav", "no action called"),
        ] {
            let exec = name == "Missing program" ? "/nonexistent/program %f" : "\(try script(name, text)) %f"
            try install(
                "org.example.\(name.prefix(4))",
                "Name=\(name)\nExec=\(exec)\nTryExec=\(exec.dropLast(3))\nX-PipeBus-Output=\(output)\nX-PipeBus-Accepts=audio/*;",
                in: session)
            let process = try await run([name, path], in: session, status: 1)
            XCTAssertTrue(
                process.errors.text.lowercased().contains(words.lowercased()), "\(name): \(process.errors.text)")
            XCTAssertEqual(try names(in: sounds), ["Speech.wav"], name)
            try await assertNothingTemporary()
        }
        // One that changes the file that it is given changes a copy.
        try install(
            "org.example.InPlace",
            "Name=In Place\nExec=\(try script("inplace", "printf '\\001' | dd of=\"$1\" bs=1 seek=44 conv=notrunc")) %f\nX-PipeBus-Output=%f\nX-PipeBus-Accepts=audio/*;",
            in: session)
        _ = try await run(["In Place", path], in: session)
        let changed = try content("\(sounds)/Speech (In Place).wav")
        XCTAssertEqual(changed.count, before.count)
        XCTAssertEqual(changed[44], 1)
        XCTAssertEqual(try content(path), before)
        try await assertNothingTemporary()
        // Any name may be that of the result, and an entry that D-Bus could start has an Exec line all the same.
        for name in ["in", "out", "errors"] {
            try install(
                "org.example.Named",
                "Name=Named\nExec=\(try script("named", "cat \"$1\" > \(name)")) %f\nX-PipeBus-Output=\(name)\nX-PipeBus-Accepts=audio/*;\nDBusActivatable=true",
                in: session)
            _ = try await run(["Named", path, "-o", "\(sounds)/\(name).wav"], in: session)
            XCTAssertEqual(try content("\(sounds)/\(name).wav"), before)
        }
        try await assertNothingTemporary()
    }

    func testAHangingProgramIsEnded() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        let mark = "\(folder)/mark"
        try install(
            "org.example.Hang",
            "Name=Hang\nExec=sh -c \"echo \\$\\$ > \(mark); exec sleep 1000\" %f\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;",
            in: session)
        let hung = try await run(["Hang", path, "--patience", "0.5"], in: session, status: 1)
        XCTAssertTrue(hung.errors.text.contains("has shown no sign of work for 0.5 s, and was ended"), hung.errors.text)
        try await assertEnded(mark)
        let late = try await run(["Hang", path, "--timeout", "0.3"], in: session, status: 1)
        XCTAssertTrue(late.errors.text.contains("was not done within 0.3 s"), late.errors.text)
        try await assertEnded(mark)
        // Control-C, and the end by force, which leaves a folder to the next run.
        for (signal, status) in [
            (SIGINT, ChildProcess.Ending.exited(128 + SIGINT)), (SIGKILL, .killed(signal: SIGKILL)),
        ] {
            let process = try start("pipebus", ["action", "run", "Hang", path], at: session.environment)
            try await eventually("the program") {
                (try? String(contentsOfFile: mark, encoding: .utf8))?.hasSuffix("\n") == true
            }
            process.signal(signal)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, status)
            try await assertEnded(mark)
        }
        XCTAssertFalse(try names(in: temporary).isEmpty)
        _ = try await run(["Hang", path, "--timeout", "0.3"], in: session, status: 1)
        try await assertNothingTemporary()
    }

    /// Waits for the end of the process whose number is in a file, which is removed.
    private func assertEnded(_ mark: String) async throws {
        let process = try await eventualResult("the number of the program") {
            (try? String(contentsOfFile: mark, encoding: .utf8)).flatMap { text in
                Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
        try await eventually("the end of the program") { kill(process, 0) != 0 }
        try FileManager.default.removeItem(atPath: mark)
    }

    /// What a program has started goes with it, also when the command is killed.
    func testWhatAProgramStartsEndsWithIt() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        let mark = "\(folder)/mark"
        try install(
            "org.example.Group",
            "Name=Group\nExec=sh -c \"sleep 1000 & echo \\$! > \(mark); wait\" sh %f\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;",
            in: session)
        try install(
            "org.example.Behind",
            "Name=Behind\nExec=sh -c \"sleep 1000 & echo \\$! > \(mark); cp \\\"\\$1\\\" out.wav\" sh %f\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;",
            in: session)
        let killed = try start("pipebus", ["action", "run", "Group", path], at: session.environment)
        try await eventually("the program") {
            (try? String(contentsOfFile: mark, encoding: .utf8))?.hasSuffix("\n") == true
        }
        killed.signal(SIGKILL)
        try await killed.waitForEnd()
        try await assertEnded(mark)
        _ = try await run(["Behind", path], in: session)
        try await assertEnded(mark)
    }

    /// What is wrong in an entry is said.
    func testWrongEntries() async throws {
        let session = try await actionSession()
        for (name, lines, words) in [
            ("one", "Exec=sox\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;", "its Exec line has no %f"),
            (
                "two", "Exec=sox %f\nX-PipeBus-Output=../out.wav\nX-PipeBus-Accepts=audio/*;",
                "name a file without folders, or %f"
            ),
            ("three", "Exec=sox %f\nX-PipeBus-Output=out.wav", "it takes no types; add X-PipeBus-Accepts=audio/*;"),
            (
                "four", "Exec=sox %f\nTerminal=true\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;",
                "remove Terminal=true"
            ),
            (
                "five", "Exec=sox %f\nImplements=org.pipebus.AudioAction1;\nX-PipeBus-Accepts=audio/*;",
                "its name is none on the bus"
            ),
            (
                "six", "Exec=sox \"%f\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;",
                "a quotation mark without another one"
            ),
            ("seven", "Exec=sox %f\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=text/plain;", "no type of sound"),
        ] {
            try install(name, "Name=\(name)\n\(lines)", in: session)
            let list = try start("pipebus", ["action", "list"], at: session.environment)
            try await list.waitForEnd()
            XCTAssertEqual(list.errors.lines.count, 1, list.errors.text)
            XCTAssertTrue(
                list.errors.text.contains("applications/\(name).desktop\" is no action, because "), list.errors.text)
            XCTAssertTrue(list.errors.text.contains(words), list.errors.text)
            try FileManager.default.removeItem(atPath: "\(folder)/packages/applications/\(name).desktop")
        }
        // A name without dots is as good for a program.
        try install(
            "soxrev", "Name=Rev\nExec=sox %f out.wav reverse\nX-PipeBus-Output=out.wav\nX-PipeBus-Accepts=audio/*;",
            in: session)
        _ = try await run(["Rev", try writeSound()], in: session)
    }

    /// An app that opens sound files and knows nothing of actions.
    func testAnEditor() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        try install(
            "org.example.Editor",
            "Name=Editor\nExec=sh -c \"test -e \(folder)/save && touch \\\"\\$1\\\"\" sh %F\nMimeType=audio/x-wav;audio/vnd.wave;text/plain;",
            in: session)
        let list = try start("pipebus", ["action", "list", path], at: session.environment)
        try await list.waitForEnd()
        XCTAssertTrue(list.output.text.hasPrefix("No installed action takes this"), list.output.text)
        let all = try start("pipebus", ["action", "list", "--all", path], at: session.environment)
        try await all.waitForEnd()
        XCTAssertTrue(all.output.text.contains("Editor  (org.example.Editor)  (app)"), all.output.text)
        let unsaved = try await run(["Editor", path], in: session, status: 1)
        XCTAssertTrue(
            unsaved.errors.text.contains("Nothing was saved in the app") || unsaved.errors.text.contains("status 1"),
            unsaved.errors.text)
        try "".write(toFile: "\(folder)/save", atomically: true, encoding: .utf8)
        _ = try await run(["Editor", path], in: session)
        XCTAssertEqual(try names(in: sounds), ["Speech (Editor).wav", "Speech.wav"])
        try await assertNothingTemporary()
    }

    /// The script is in Docs/Protocols.md.
    func testPython() async throws {
        let session = try await actionSession()
        let docs = try String(contentsOfFile: "Docs/Protocols.md", encoding: .utf8)
        let start = try XCTUnwrap(docs.range(of: "#!/usr/bin/env python3\nimport array"))
        let end = try XCTUnwrap(docs.range(of: "```", range: start.lowerBound..<docs.endIndex))
        let script = String(docs[start.lowerBound..<end.lowerBound])
        XCTAssertLessThanOrEqual(script.split(separator: "\n").count, 34)
        let program = "\(folder)/louder.py"
        try script.write(toFile: program, atomically: true, encoding: .utf8)
        try install(
            "org.example.Louder",
            "Name=Louder\nExec=python3 \(program)\nImplements=org.pipebus.AudioAction1;\nX-PipeBus-Accepts=audio/x-wav;\nX-PipeBus-Suffix=Louder\nX-PipeBus-Parameters=gain:number:0:10::2:Gain;",
            in: session)
        try """
        [D-BUS Service]
        Name=org.example.Louder
        Exec=/usr/bin/python3 \(program)

        """.write(
            toFile: "\(folder)/data/dbus-1/services/org.example.Louder.service", atomically: true, encoding: .utf8)
        try await reloadBus(in: session)
        let path = try writeSound(frameCount: 100_000)
        let before = try content(path)
        _ = try await run(["Louder", path, "--set", "gain=0.5"], in: session)
        let after = try content("\(sounds)/Speech (Louder).wav")
        XCTAssertEqual(after.count, before.count)
        for place in stride(from: 44, to: before.count, by: 2) {
            let old = Int16(bitPattern: UInt16(before[place]) | UInt16(before[place + 1]) << 8)
            let new = Int16(bitPattern: UInt16(after[place]) | UInt16(after[place + 1]) << 8)
            guard new == Int16((Double(old) * 0.5).rounded(.toNearestOrEven)) else {
                return XCTFail("\(old) became \(new) at \(place)")
            }
        }
        let odd = try await run(["Louder", "\(folder)/louder.py"], in: session, status: 1)
        XCTAssertTrue(odd.errors.text.contains("There is no sound among the files"), odd.errors.text)
        try await assertNothingTemporary()
    }
}
