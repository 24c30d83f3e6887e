// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that connects its port again whenever the other app ends, as Docs/Reliability.md shows it.
final class ReturningSourceTests: DaemonTestCase {
    func testItIsConnectedEachTime() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let input = try await bus.receiver("in", channels: .mono, fade: .none, state: ()) { _, _, _ in }
        async let keeping: Void = keepConnected("Tone.out", to: input.nodeName, by: bus)
        for round in 1...4 {
            let tone = try await Peer.start("Tone", on: daemon)
            try await tone.addSender("out", .constant(0.5))
            try await eventually("sound, round \(round)") { input.mixMeter.peak > 0 }
            let cycles = try await input.statistics.cycles
            try await daemon.restart()
            try await eventually("sound after the restart, round \(round)") {
                try await input.statistics.cycles > cycles + 2 && input.mixMeter.peak > 0
            }
            if round.isMultiple(of: 2) { tone.process.signal(SIGKILL) } else { try await tone.close() }
            try await eventually("the end of the source, round \(round)") { try await input.sources.isEmpty }
        }
        await bus.close()
        await keeping
    }

    func testASenderIsConnectedEachTimeAndDoesNotSpinWhileItHangs() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let (stand, release) = (Flag(), Flag())
        let output = try await bus.sender("out", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.5 }
            while stand.isRaised, !release.isRaised {}
        }
        defer { release.raise() }
        let attempts = ConnectionAttempts()
        async let keeping: Void = keepConnected(output.nodeName, to: "Recorder.in", by: bus, attempts)
        for round in 1...3 {
            let recorder = try await Peer.start("Recorder", on: daemon)
            try await recorder.addReceiver("in")
            try await eventually("sound, round \(round)") {
                try await recorder.meters("in").contains { $0.peak == 0.5 }
            }
            if round == 2 {
                stand.raise()
                try await eventually("the hang to be seen") {
                    try await recorder.sources("in").map(\.isStalled) == [true]
                }
                let start = ContinuousClock.now
                try await eventually("a second") { start.duration(to: .now) > .seconds(1) }
                release.raise()
                try await eventually("sound after the hang", within: .seconds(20)) {
                    try await recorder.sources("in").map(\.isStalled) == [false]
                }
            }
            try await recorder.close()
        }
        XCTAssertLessThan(attempts.count, 20)
        await bus.close()
        await keeping
    }
}
