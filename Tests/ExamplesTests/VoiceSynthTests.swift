// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The example app that lives on a desktop, in a session of its own.
final class VoiceSynthTests: ToolTestCase {
    private func run(_ arguments: [String], in session: DesktopSession, line: UInt = #line) async throws -> String {
        let process = try start("pipebus", arguments, at: session.environment)
        let ending = try await process.waitForEnd(within: .seconds(30))
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
        return process.output.text
    }

    func testItIsKnownStartedPlayedAndEnded() async throws {
        let daemon = try await startDaemon()
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment())
        addTeardownBlock { try await session.close([]) }
        // The first start makes it known.
        let first = try start("voice-synth", [], at: session.environment)
        let bus = try await connectClient(to: daemon.remote)
        try await waitForPort("Voice Synth.out", of: first, seenBy: bus)
        let ended = try await run(["quit", "Voice Synth"], in: session)
        XCTAssertEqual(ended, "ended='Voice Synth'")
        let ending = try await first.waitForEnd()
        XCTAssertEqual(ending, .exited(0), first.errors.text)
        XCTAssertEqual(first.errors.text, "")

        let list = try await run(["list", "--all"], in: session)
        XCTAssertTrue(list.contains("Voice Synth (org.pipebus.voice-synth)  not running"), list)
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        _ = try await run(["connect", "voice synth", "Test.in"], in: session)
        try await eventually("sound") {
            for await meters in receiver.meters { return meters.contains { $0.meter.peak > 0.001 } }
            return false
        }
        let triggers = try await run(["triggers", "Voice Synth"], in: session)
        XCTAssertTrue(triggers.contains("Voice Synth:next-vowel  Next Vowel"), triggers)
        let pressed = try await run(["trigger", "next-vowel"], in: session)
        XCTAssertEqual(pressed, "pressed='Voice Synth:next-vowel'")
        // It was launched for the connection, and ends after it.
        _ = try await run(["disconnect", "Voice Synth", "Test.in"], in: session)
        try await eventually("its end") { !(await bus.graph.peers.contains { $0.name == "Voice Synth" }) }

        let removal = try start("voice-synth", ["--unregister"], at: session.environment)
        try await removal.waitForEnd()
        XCTAssertEqual(removal.output.text, "removed=true", removal.errors.text)
        let rest = try await run(["list", "--all"], in: session)
        XCTAssertFalse(rest.contains("Voice Synth"), rest)
    }

    /// At pitches whose overtones meet the formants of its vowels, too.
    func testItIsNeverLouderThanFullScale() async throws {
        let daemon = try await startDaemon()
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment())
        addTeardownBlock { try await session.close([]) }
        let bus = try await connectClient(to: daemon.remote)
        let (port, keeper) = try await bus.keeper(channels: .mono)
        for pitch in ["110", "290"] {
            let synth = try start("voice-synth", ["--pitch", pitch], at: session.environment)
            try await waitForPort("Voice Synth.out", of: synth, seenBy: bus)
            try await bus.connect("Voice Synth", to: port)
            let peer = try await eventualResult("the synth") {
                await bus.graph.peers.first { $0.name == "Voice Synth" }
            }
            for vowel in ["a", "e", "i", "o", "u"] {
                try await bus.press(vowel, of: peer.id)
                let start = keeper.frameCount
                try await eventually("half a second of \(vowel)", within: .seconds(60)) {
                    keeper.frameCount > start + 24_000
                }
                let peak = keeper.lastSamples(ofChannel: 0, count: 12_000).map(abs).max() ?? 0
                XCTAssertLessThan(peak, 1, "\(vowel) at \(pitch) Hz")
                XCTAssertGreaterThan(peak, 0.05, "\(vowel) at \(pitch) Hz")
            }
            try await bus.quit(peer.id)
            try await synth.waitForEnd()
        }
    }
}
