// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Nothing but PipeWire's socket: each call that needs the session bus says so, and all else works.
final class NoSessionBusTests: LifeTestCase {
    func testWithoutASessionBus() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let nowhere = "unix:path=\(folder)/nothing"
        for address in ["", nowhere] {
            let log = "\(folder)/log-\(address.count)"
            let app = try start(
                "life-host", [Self.id, "Voice Synth", log, "life,inhibit,status=Playing", "out"],
                at: daemon.environment(),
                adding: [
                    "HOME": folder, "XDG_DATA_HOME": "\(folder)/data", "XDG_DATA_DIRS": "\(folder)/packages",
                    "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": nowhere,
                ])
            func lines() -> [String] {
                ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map {
                    String($0.split(separator: " ", maxSplits: 1).last ?? "")
                }
            }
            try await PipeBusTesting.eventually("the app") { lines().contains("ready") }
            XCTAssertTrue(
                lines().contains {
                    $0.hasPrefix("There is no session bus (")
                        && $0.hasSuffix(
                            "), so nobody can show this app or ask it for a port; everything else works without.")
                }, "\(lines())")
            XCTAssertTrue(
                lines().contains {
                    $0.hasPrefix("There is no session bus (")
                        && $0.hasSuffix(
                            "), so the desktop cannot show that the app plays; everything else works without.")
                }, "\(lines())")
            // Ports, connections, triggers and a decent end are PipeWire's alone.
            let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            let port = try await outlet(seenBy: bus)
            try await bus.connect(port, to: input)
            try await PipeBusTesting.eventually("sound") { try await input.statistics.cycles > 0 }
            try await press("show", seenBy: bus)
            try await PipeBusTesting.eventually("the sentence", within: .seconds(20)) {
                lines().contains { $0.hasPrefix("inhibition Nothing keeps the system from sleeping") }
            }
            let peer = try await eventualResult("the app") {
                await bus.graph.peers.first { $0.name == "Voice Synth" }
            }
            try await bus.quit(peer.id)
            let ending = try await app.waitForEnd()
            XCTAssertEqual(ending, .exited(0), app.errors.text)
            await input.close()
        }
    }
}
