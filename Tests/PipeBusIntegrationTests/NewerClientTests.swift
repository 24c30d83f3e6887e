// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A client of 1.4 at a daemon of 0.3.65 over restarts and stops. It has a sender, because such a daemon serves no inputs of it.
final class NewerClientTests: DaemonTestCase {
    /// The sender's app has made the connection, so it makes it again.
    private struct Scene {
        let daemon: HeadlessPipeWire
        let bus: BusClient
        let receiver: ReceiverPort
        let hearing: Hearing
        let sender: Peer

        /// Waits until the sender is heard in cycles from now on.
        func waitUntilHeard(_ when: String) async throws {
            let before = hearing.moments.count
            try await eventually("the sender to be heard \(when)", within: .seconds(20)) {
                hearing.moments.dropFirst(before).contains { $0.lanes[0]?.channels.first?.last == 0.5 }
            }
        }

        /// Waits until the receiver has the source, with its latency, and it does not hang.
        func waitForTheSource(_ when: String) async throws {
            try await eventually("the source \(when)", within: .seconds(20)) {
                let sources = try await receiver.sources
                return sources.map(\.port.nodeName) == ["Sender.out"] && sources.map(\.latency.frames) == [480]
                    && sources.map(\.isStalled) == [false]
            }
        }

        func waitForStates(_ kinds: [String?]) async throws {
            do {
                try await eventually("the sender's states") { try await sender.states().map(\.kind) == kinds }
            } catch {
                let states = try await sender.states()
                XCTAssertEqual(states.map(\.kind), kinds, "\(states)")
                throw error
            }
        }

        func killDaemon() async throws {
            try await daemon.kill()
            try await eventually("the interruption") { bus.state.reason?.kind == .daemonGone }
        }

        func startDaemonAgain() async throws {
            try daemon.startAgain()
            try await daemon.waitUntilItListens()
            try await eventually("the receiver's app to run", within: .seconds(20)) { bus.state == .running }
        }

        /// Until the receiver has given the sender up, and for as long as makes the stop one that is told.
        func stopSender() async throws {
            kill(sender.process.pid, SIGSTOP)
            try await eventuallyStopped(sender.process.pid)
            let start = ContinuousClock.now
            try await eventually("the receiver to notice the stop", within: .seconds(20)) {
                try await receiver.sources.map(\.isStalled) == [true]
            }
            try await eventually("two seconds to pass") { start.duration(to: .now) > .seconds(2) }
        }

        func continueSender() { kill(sender.process.pid, SIGCONT) }

        func close() async throws {
            continueSender()
            try await sender.close()
            await bus.close()
        }
    }

    private func start() async throws -> Scene {
        let newer = try PipeWireInstallation.newer()
        let daemon = try await startDaemon(installation: .system)
        try await daemon.skipIfTooOldForThisProcess()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: bus, alignment: .immediate)
        let sender = try await Peer.start("Sender", on: daemon, client: newer)
        try await sender.addSender("out", .constant(0.5), latency: 480)
        try await sender.join("Sender.out", to: "Test.in")
        let scene = Scene(daemon: daemon, bus: bus, receiver: receiver, hearing: hearing, sender: sender)
        try await scene.waitUntilHeard("at first")
        try await scene.waitForTheSource("at first")
        return scene
    }

    func testTheDaemonIsRestarted() async throws {
        let scene = try await start()
        for round in 1...3 {
            try await scene.killDaemon()
            try await scene.startDaemonAgain()
            try await scene.waitUntilHeard("after restart \(round)")
            try await scene.waitForTheSource("after restart \(round)")
            try await scene.waitForStates([nil] + Array(repeating: ["daemonGone", nil], count: round).flatMap { $0 })
        }
        try await scene.close()
    }

    func testTheClientIsStopped() async throws {
        let scene = try await start()
        try await scene.stopSender()
        scene.continueSender()
        try await scene.waitUntilHeard("after the stop")
        try await scene.waitForTheSource("after the stop")
        try await scene.waitForStates([nil, "suspended", nil])
        XCTAssertEqual(scene.bus.state, .running)
        try await scene.close()
    }

    /// It finds out when it goes on.
    func testTheDaemonIsRestartedWhileTheClientIsStopped() async throws {
        let scene = try await start()
        try await scene.stopSender()
        try await scene.killDaemon()
        try await scene.startDaemonAgain()
        scene.continueSender()
        try await scene.waitUntilHeard("after both")
        try await scene.waitForTheSource("after both")
        // Whether it hears of its own stop, too, depends on which it notices first.
        try await eventually("the sender to run") {
            let kinds = try await scene.sender.states().map(\.kind)
            return kinds.contains("daemonGone") && kinds.last == .some(nil)
        }
        try await scene.close()
    }
}
