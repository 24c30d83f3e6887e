// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import Glibc
import PipeBus
import PipeBusApps
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus graph`, as a process.
final class GraphCommandTests: ToolTestCase {
    private func run(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> String {
        let process = try start("pipebus", ["graph"] + arguments, at: daemon.environment())
        let ending = try await process.waitForEnd(within: .seconds(20))
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        XCTAssertEqual(process.errors.text, "")
        return process.output.text
    }

    /// A sender of 10 ms into a receiver, at half the volume.
    private func startPorts(_ daemon: HeadlessPipeWire) async throws -> BusClient {
        let bus = try await connectClient(to: daemon.remote, as: "Giver")
        let sender = try await bus.sender("out", title: "Loud", channels: .mono, latency: .frames(480), state: ()) {
            _, _, output in output.fill(0) { _ in 0.5 }
        }
        let taker = try await connectClient(to: daemon.remote, as: "Taker")
        let receiver = try await taker.receiver("in", channels: .mono, lanes: 4, state: ()) { _, _, _ in }
        try await taker.connect(sender.nodeName, to: receiver.nodeName)
        _ = try await bus.setLevel(.volume(0.5), of: sender.nodeName, at: receiver.nodeName)
        return bus
    }

    func testItShowsPortsSourcesLevelsAndTimes() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 512), installation: installation)
            _ = try await startPorts(daemon)
            let text = try await run([], at: daemon)
            for words in [
                "2 ports of 1 app, 1 connection\n", "48000 Hz, 512 frames (10.7 ms) a cycle",
                "Giver + Taker  org.pipebus.test",
                "▶ Giver.out", "“Loud”", "1 of 4", "└─ Giver.out", "-6.0 dB", "10.0 ms", "Giver.out → Taker.in",
            ] {
                XCTAssertTrue(text.contains(words), "\"\(words)\" is not in:\n\(text)")
            }
            XCTAssertFalse(text.contains("\u{1B}"))
        }
    }

    func testEveryForm() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await startPorts(daemon)
        let data = Data(try await run(["--json"], at: daemon).utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        XCTAssertEqual(json["version"] as? Int, 1)
        XCTAssertEqual((json["pace"] as? [String: Any])?["sampleRate"] as? Int, 48_000)
        let pipelines = try XCTUnwrap(json["pipelines"] as? [[String: Any]])
        XCTAssertEqual(pipelines.map { $0["ports"] as? [String] }, [["Giver.out", "Taker.in"]])
        let snapshot = await bus.graph
        XCTAssertEqual(pipelines.map { $0["id"] as? String }, snapshot.pipelines.map(\.id.description))
        let dot = try await run(["--dot"], at: daemon)
        XCTAssertTrue(dot.hasPrefix("digraph pipebus {"), dot)
        let mermaid = try await run(["--mermaid"], at: daemon)
        XCTAssertTrue(mermaid.hasPrefix("flowchart LR\n"), mermaid)
        XCTAssertTrue(mermaid.contains("Loud"), mermaid)
    }

    func testAPictureReplacesItsFileAsAWhole() async throws {
        let daemon = try await startDaemon()
        _ = try await startPorts(daemon)
        let path = "\(folder)/graph.svg"
        try "old".write(toFile: path, atomically: false, encoding: .utf8)
        XCTAssertEqual(unsafe chmod(path, 0o640), 0)
        XCTAssertEqual(unsafe symlink("graph.svg", "\(folder)/link.svg"), 0)
        for name in ["graph.svg", "link.svg", "new.svg"] {
            let output = try await run(["giver", "--svg", "\(folder)/\(name)"], at: daemon)
            XCTAssertEqual(output, "")
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            XCTAssertTrue(text.hasPrefix("<?xml") && text.hasSuffix("</svg>\n") && text.contains("Loud"), text)
        }
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted(), ["graph.svg", "link.svg", "new.svg"])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o640)
        let standard = try await run(["--svg", "/dev/stdout"], at: daemon)
        XCTAssertTrue(standard.hasPrefix("<?xml") && standard.contains("</svg>"), standard)
    }

    func testAPictureHasTheIconsThatAreInstalled() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Synth", iconName: "test-synth", remote: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let icons = "\(folder)/icons/hicolor/scalable/apps"
        try FileManager.default.createDirectory(atPath: icons, withIntermediateDirectories: true)
        let icon = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\"><rect/></svg>"
        for isInstalled in [false, true] {
            if isInstalled { try icon.write(toFile: "\(icons)/test-synth.svg", atomically: true, encoding: .utf8) }
            let process = try start(
                "pipebus", ["graph", "--svg", "/dev/stdout"], at: daemon.environment(),
                adding: ["XDG_DATA_HOME": folder])
            let ending = try await process.waitForEnd(within: .seconds(20))
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            let text = process.output.text
            XCTAssertTrue(text.contains("Synth"), text)
            XCTAssertEqual(text.contains(Data(icon.utf8).base64EncodedString()), isInstalled, text)
        }
        await bus.close()
    }

    func testAPictureHasThePicturesThatAppsPublish() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Synth", remote: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        _ = try await bus.sender("broken", channels: .mono, state: ()) { _, _, _ in }
        let picture = try PNGImage(SamplePicture.png)
        try await bus.publishIcon(picture)
        try await bus.publishIcon(picture, ofPort: "out")
        try await bus.publish(Array(picture.bytes.dropLast(20)), forKey: "icon/broken.png")
        let process = try start("pipebus", ["graph", "--svg", "/dev/stdout"], at: daemon.environment())
        let ending = try await process.waitForEnd(within: .seconds(20))
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        let text = process.output.text
        XCTAssertTrue(XMLParser(data: Data(text.utf8)).parse())
        let address = "data:image/png;base64,\(Data(picture.bytes).base64EncodedString())"
        XCTAssertEqual(text.components(separatedBy: address).count, 2, "once, for the app and the port")
        XCTAssertEqual(text.components(separatedBy: "<use href=\"#icon0\"").count, 3)
        XCTAssertEqual(
            process.errors.text,
            "pipebus: The picture of “Synth.broken” is left out. The PNG is damaged: it is cut off. Save it again.")
        await bus.close()
    }

    func testWhatCannotBeDoneIsSaidInOneSentence() async throws {
        let daemon = try await startDaemon()
        _ = try await startPorts(daemon)
        for (arguments, words) in [
            (["nobody"], "There is no app or port whose name contains \"nobody\""),
            (["a\u{1B}[2J\nb"], "contains \"a\u{FFFD}[2J"),
            (["--svg", folder], "is a folder; name a file in it"),
            (["--svg", "\(folder)/new/"], "is the name of a folder"),
            (["--svg", "\(folder)/none/x.svg"], "No such file or directory"),
        ] {
            let process = try start("pipebus", ["graph"] + arguments, at: daemon.environment())
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
            XCTAssertEqual(process.output.text, "")
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), [])
    }

    func testAnEmptyGraph() async throws {
        let daemon = try await startDaemon()
        let text = try await run([], at: daemon)
        XCTAssertEqual(text.trimmingCharacters(in: .newlines), "There is no port in the graph.")
    }

    /// Through a daemon, to a terminal and into files.
    func testNamesOfForeignNodesReachNothing() async throws {
        let daemon = try await startDaemon()
        let bus = try await startPorts(daemon)
        // Names that PipeBus would refuse.
        let hostile = try [
            "a\u{1B}[2J\u{202E}x", "\"; evil [label=\"", "</text><script>", String(repeating: "long", count: 1000),
        ].map { try ForeignFilter($0, at: daemon.remote, latency: 480) }
        defer { withExtendedLifetime(hostile) {} }
        try await eventually("the nodes") { await bus.graph.ports.count == 2 + hostile.count }
        for form in [[], ["--json"], ["--dot"], ["--mermaid"], ["--svg", "/dev/stdout"]] {
            let text = try await run(form, at: daemon)
            for scalar in text.unicodeScalars where scalar != "\n" {
                XCTAssertNotEqual(scalar.properties.generalCategory, .control, text)
                XCTAssertFalse(scalar.properties.isBidiControl, text)
            }
            XCTAssertTrue(text.contains("a\u{FFFD}") && text.contains("2J\u{FFFD}x"), text)
            if form.first == "--svg" { XCTAssertFalse(text.contains("<script"), text) }
        }
    }

    func testAnAppThatIsStoppedDoesNotStopIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await startPorts(daemon)
        let recorder = try start(
            "track-recorder", ["--output", "\(folder)/x.wav"], at: daemon.environment())
        try await waitForPort("Recorder.in", of: recorder, seenBy: bus)
        recorder.signal(SIGSTOP)
        let text = try await run([], at: daemon)
        recorder.signal(SIGCONT)
        XCTAssertTrue(text.contains("Recorder.in") && text.contains("does not answer"), text)
    }

    func testOnATerminalItHasColoursAndFits() async throws {
        let daemon = try await startDaemon()
        _ = try await startPorts(daemon)
        for (locale, term, noColour, sign) in [
            ("C.UTF-8", "xterm", "", "\u{1B}[32m  ▶ Giver.out\u{1B}[0m"), ("C.UTF-8", "xterm", "1", "  ▶ Giver.out  "),
            ("C", "dumb", "", "  > Giver.out  "),
        ] {
            let command = "stty cols 60 rows 20; exec \(Programs.path(of: "pipebus")) graph"
            let script = try start(
                "pipebus", [], at: daemon.environment(),
                through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"],
                adding: ["LC_ALL": locale, "TERM": term, "NO_COLOR": noColour])
            let ending = try await script.waitForEnd(within: .seconds(20))
            XCTAssertEqual(ending, .exited(0), script.output.text)
            let text = script.output.text
            XCTAssertTrue(text.contains(sign), text)
            XCTAssertEqual(text.contains("\u{1B}"), sign.contains("\u{1B}"), text)
            for line in text.replacing(/\u{1B}\[\d*m/, with: "").split(whereSeparator: \.isNewline) {
                XCTAssertLessThanOrEqual(line.count, 60, String(line))
            }
        }
    }
}
