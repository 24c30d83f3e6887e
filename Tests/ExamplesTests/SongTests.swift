// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A song is saved, its apps end, and `run` has all of it back: its connections, a level, a state, and the same
/// recording.
final class SongTests: ToolTestCase {
    private static let apps = [
        "tone-sender": "Tone", "echo-filter": "Echo", "track-recorder": "Recorder", "voice-synth": "Voice Synth",
    ]

    private func install(_ tool: String, _ arguments: String, ports: String, in session: DesktopSession) throws {
        try """
        [Desktop Entry]
        Type=Application
        Name=\(Self.apps[tool] ?? "")
        Exec=\(Programs.path(of: tool)) \(arguments)
        Implements=org.pipebus.Port1;
        X-PipeBus-Ports=\(ports)

        """.write(
            toFile: "\(session.folder)/packages/applications/org.pipebus.\(tool).desktop", atomically: true,
            encoding: .utf8)
    }

    private func pipebus(_ arguments: String..., in session: DesktopSession, line: UInt = #line) async throws {
        let process = try start("pipebus", arguments, at: session.environment)
        let ending = try await process.waitForEnd(within: .seconds(30))
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
    }

    /// The recording that the recorder has made, from its first sound on.
    private func takeRecording(by bus: BusClient) async throws -> [Float] {
        try await eventually("the end of the recorder", within: .seconds(30)) {
            await !bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
        }
        let path = "\(folder)/take.wav"
        let samples = try WaveFile.read(path).channels[0]
        try FileManager.default.removeItem(atPath: path)
        guard let first = samples.firstIndex(where: { $0 != 0 }) else { return [] }
        return Array(samples[first...].prefix(24_000))
    }

    func testItSoundsAsBefore() async throws {
        let daemon = try await startDaemon(.init(quantum: 1024))
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment())
        addTeardownBlock { try await session.close([]) }
        try install("tone-sender", "--frequency 440", ports: "out:sender:1", in: session)
        try install("voice-synth", "--pitch 220", ports: "out:sender:1;voice:receiver:1", in: session)
        try install("echo-filter", "--delay 480 --feedback 0.5 --dry --channels 1", ports: "echo:filter:1", in: session)
        try install(
            "track-recorder", "--output \(folder)/take.wav --duration 3 --channels 1", ports: "in:receiver:1",
            in: session)
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        // Real time loses cycles on a busy machine, and then two recordings differ: a few are tried.
        for attempt in 1...4 {
            try await pipebus("connect", "Voice Synth", "Test", in: session)
            try await pipebus("trigger", "Voice Synth:i", in: session)
            try await pipebus("connect", "Echo", "Recorder", in: session)
            try await pipebus("volume", "Echo", "Recorder", "0.25", in: session)
            try await pipebus("connect", "Tone", "Echo", in: session)
            try await pipebus("save", "\(folder)/song.json", "--state", in: session)
            var recordings = [try await takeRecording(by: bus)]
            try await endApps(bus, session)
            for _ in 0..<2 {
                let run = try start("pipebus", ["run", "\(folder)/song.json"], at: session.environment)
                try await eventually("the song", within: .seconds(30)) {
                    await bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
                }
                recordings.append(try await takeRecording(by: bus))
                XCTAssertTrue(
                    run.output.text.contains("state=stateRestored source=org.pipebus.voice-synth"), run.output.text)
                run.signal(SIGTERM)
                try await run.waitForEnd()
                try await endApps(bus, session)
            }
            XCTAssertGreaterThan(recordings[0].max() ?? 0, 0.01)
            if recordings.allSatisfy({ $0.count == 24_000 && $0 == recordings[0] }) { return }
            if attempt == 4 { XCTFail("no recordings were the same") }
        }
    }

    private func endApps(_ bus: BusClient, _ session: DesktopSession) async throws {
        for name in ["Voice Synth", "Echo", "Tone"] where await bus.graph.peers.contains(where: { $0.name == name }) {
            let quit = try start("pipebus", ["quit", name], at: session.environment)
            try await quit.waitForEnd()
        }
        try await eventually("an empty graph") { await bus.graph.peers.allSatisfy { $0.name == "Test" } }
    }
}
