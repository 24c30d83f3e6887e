// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that hangs with one of its ports, while another app hears another one: a filter of its own, or a sender that runs after its
/// receiver. Nobody else can disconnect the one from the other.
final class HungAppOfTwoPortsTests: DaemonTestCase {
    /// An app with two ports, of which the first one can be made to hang.
    private struct App {
        let bus: BusClient
        let stand: Flag
        let release: Flag
        /// The port that is heard by others, by its name, and the title of the one that hangs.
        let heard: String
        let hanging: String
        /// The name of a port that needs a source to run.
        var input: String?
    }

    func testItsFilterIsDisconnectedAtOnce() async throws {
        try await check { daemon in
            let own = try await self.connect(to: daemon)
            let (stand, release) = (Flag(), Flag())
            let sender = try await own.sender("tick", channels: .mono, state: ()) { _, _, output in
                output.fill(0) { _ in 0.5 }
                while stand.isRaised, !release.isRaised {}
            }
            let filter = try await own.filter("shape", inputs: .mono, state: ()) { _, _, input, output in
                output.fill(0) { input[0][$0] }
            }
            try await own.connect(sender, to: filter)
            return App(bus: own, stand: stand, release: release, heard: "shape", hanging: "Own tick")
        }
    }

    /// No connection leads from the receiver to the sender: a link keeps their order.
    func testASenderThatRunsAfterItsReceiverIsDisconnectedAtOnce() async throws {
        try await check { daemon in
            let own = try await self.connect(to: daemon)
            let (stand, release) = (Flag(), Flag())
            _ = try await own.receiver("in", channels: .mono, state: ()) { _, _, _ in
                while stand.isRaised, !release.isRaised {}
            }
            _ = try await own.sender("out", channels: .mono, after: ["in"], state: ()) { _, _, output in
                output.fill(0) { _ in 0.5 }
            }
            return App(bus: own, stand: stand, release: release, heard: "out", hanging: "Own in", input: "in")
        }
    }

    /// An app that is stopped hangs with all of its ports. Only one of them is the source.
    func testAPortFromWhichNoSoundComesIsNotNamed() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let taker = try await Peer.start("Taker", on: daemon, client: installation)
            try await taker.addReceiver("in")
            let steady = try await Peer.start("Steady", on: daemon, client: installation)
            try await steady.addSender("out", .constant(0.25))
            let other = try await Peer.start("Other", on: daemon, client: installation)
            // One is made before the sender, and one after it: reports have them in an order of their own.
            try await other.addReceiver("first")
            try await other.addSender("out", .constant(0.5))
            try await other.addReceiver("last")
            try await taker.join("Steady/out", to: "Taker/in")
            try await taker.join("Other/out", to: "Taker/in")
            func isHeard(_ peaks: Set<Float>) async throws -> Bool {
                Set(try await taker.meters("in").map(\.peak)).isSuperset(of: peaks)
            }
            try await eventually("both") { try await isHeard([0.25, 0.5]) }
            kill(other.process.pid, SIGSTOP)
            defer { kill(other.process.pid, SIGCONT) }
            try await eventually("it to be disconnected") {
                try await taker.sources("in").map(\.isStalled).contains(true)
            }
            let before = try await taker.report("in").counts.cycles
            try await eventually("two seconds of cycles", within: .seconds(20)) {
                try await taker.report("in").counts.cycles > before + 100
            }
            kill(other.process.pid, SIGCONT)
            try await eventually("both again", within: .seconds(20)) { try await isHeard([0.25, 0.5]) }
            let notices = try await taker.notices()
            XCTAssertEqual(notices.filter { $0.kind == Notice.Kind.sourceStalled.rawValue }.count, 1)
            XCTAssertEqual(notices.filter { $0.kind == Notice.Kind.upstreamStalled.rawValue }, [])
            for peer in [taker, steady, other] { try await peer.close() }
        }
    }

    private func connect(to daemon: HeadlessPipeWire) async throws -> BusClient {
        try await BusClient.connect(
            as: "org.pipebus.own", name: "Own", remote: daemon.remote, allowsConnectionsToSelf: true)
    }

    private func check(_ start: (HeadlessPipeWire) async throws -> App) async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let app = try await start(daemon)
            let taker = try await Peer.start("Taker", on: daemon, client: installation)
            try await taker.addReceiver("in")
            let steady = try await Peer.start("Steady", on: daemon, client: installation)
            try await steady.addSender("out", .constant(0.25))
            try await taker.join("Own/\(app.heard)", to: "Taker/in")
            try await taker.join("Steady/out", to: "Taker/in")
            if let input = app.input { try await taker.join("Steady/out", to: "Own/\(input)") }
            func isHeard(_ peaks: Set<Float>) async throws -> Bool {
                Set(try await taker.meters("in").map(\.peak)).isSuperset(of: peaks)
            }
            try await eventually("both") { try await isHeard([0.25, 0.5]) }
            let before = try await taker.report("in").counts
            defer { app.release.raise() }
            app.stand.raise()
            try await eventually("it to be disconnected") {
                try await taker.sources("in").map(\.isStalled) == [true, false]
            }
            try await eventually("the other source") {
                try await taker.report("in").counts.cycles > before.cycles + 20
            }
            let notices = try await taker.notices().filter { $0.kind == Notice.Kind.sourceStalled.rawValue }
            XCTAssertEqual(notices.count, 1)
            XCTAssertTrue(notices.first?.message.contains("waits for \(app.hanging)") ?? false, "\(notices)")
            // The app is the source's own: nobody further upstream is to act.
            let upstream = try await taker.notices().filter { $0.kind == Notice.Kind.upstreamStalled.rawValue }
            XCTAssertEqual(upstream, [])
            // Without the time that other apps have to act, which is 1.5 s.
            let missed = try await taker.report("in").counts.missedFrames - before.missedFrames
            print("an app with \(app.heard) of its own hangs: others are silent for \(missed * 1000 / 48_000) ms")
            XCTAssertLessThan(missed, 60_000)
            app.release.raise()
            try await eventually("both again", within: .seconds(20)) { try await isHeard([0.25, 0.5]) }
            for peer in [taker, steady] { try await peer.close() }
            await app.bus.close()
        }
    }
}
