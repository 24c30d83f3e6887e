// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that hangs, and whose sender is connected to a filter of its own: nobody else can disconnect the one from the other.
final class HungAppWithFilterTests: DaemonTestCase {
    func testItsFilterIsDisconnectedAtOnce() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let own = try await BusClient.connect(
                as: "org.pipebus.own", name: "Own", remote: daemon.remote, allowsConnectionsToSelf: true)
            let (stand, release) = (Flag(), Flag())
            let sender = try await own.sender("tick", channels: .mono, state: ()) { _, _, output in
                output.fill(0) { _ in 0.5 }
                while stand.isRaised, !release.isRaised {}
            }
            let filter = try await own.filter("shape", inputs: .mono, state: ()) { _, _, input, output in
                output.fill(0) { input[0][$0] }
            }
            try await own.connect(sender, to: filter)
            let taker = try await Peer.start("Taker", on: daemon, client: installation)
            try await taker.addReceiver("in")
            let steady = try await Peer.start("Steady", on: daemon, client: installation)
            try await steady.addSender("out", .constant(0.25))
            try await taker.join("Own/shape", to: "Taker/in")
            try await taker.join("Steady/out", to: "Taker/in")
            func isHeard(_ peaks: Set<Float>) async throws -> Bool {
                Set(try await taker.meters("in").map(\.peak)).isSuperset(of: peaks)
            }
            try await eventually("both") { try await isHeard([0.25, 0.5]) }
            let before = try await taker.report("in").counts
            defer { release.raise() }
            stand.raise()
            try await eventually("the filter to be disconnected") {
                try await taker.sources("in").map(\.isStalled) == [true, false]
            }
            try await eventually("the other source") {
                try await taker.report("in").counts.cycles > before.cycles + 20
            }
            let notices = try await taker.notices().filter { $0.kind == Notice.Kind.sourceStalled.rawValue }
            XCTAssertEqual(notices.count, 1)
            XCTAssertTrue(notices.first?.message.contains("waits for Own tick") ?? false, "\(notices)")
            // Without the time that other apps have to act, which is 1.5 s.
            let missed = try await taker.report("in").counts.missedFrames - before.missedFrames
            print("an app with a filter of its own hangs: others are silent for \(missed * 1000 / 48_000) ms")
            XCTAssertLessThan(missed, 60_000)
            release.raise()
            try await eventually("both again", within: .seconds(20)) { try await isHeard([0.25, 0.5]) }
            for peer in [taker, steady] { try await peer.close() }
            await own.close()
        }
    }
}
