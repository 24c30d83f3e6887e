// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// An app that connects its source again whenever that app ends, as Docs/Reliability.md shows it.
final class ReturningSourceTests: DaemonTestCase {
    private static func keepConnected(_ bus: BusClient, _ input: ReceiverPort) async {
        while !Task.isCancelled {
            do {
                try await bus.connect("Tone", to: input, timeout: .seconds(3600))
            } catch let error as PipeBusError where error.code == .alreadyConnected {
                // The library made it again after a restart of the daemon.
            } catch {
                return
            }
            for await changes in input.sourceUpdates where changes.sources.isEmpty { break }
        }
    }

    func testItIsConnectedEachTime() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let input = try await bus.receiver("in", channels: .mono, fade: .none, state: ()) { _, _, _ in }
        async let keeping: Void = Self.keepConnected(bus, input)
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

    private static func keepConnected(_ bus: BusClient, _ output: SenderPort, _ attempts: Counter) async {
        while !Task.isCancelled {
            attempts.increase()
            do {
                try await bus.connect(output, to: "Recorder", timeout: .seconds(3600))
            } catch let error as PipeBusError where error.code == .alreadyConnected {
                // The library made it again, or the receiver has disconnected it until this app answers.
            } catch {
                return
            }
            for await graph in bus.graphUpdates {
                guard let id = output.graphID else { continue }
                let isExpected = graph.ports.contains { $0.stalledSources.contains(id) }
                if graph.destinations(of: id).isEmpty, !isExpected { break }
            }
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        var count: Int { value.load(ordering: .relaxed) }
        func increase() { value.add(1, ordering: .relaxed) }
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
        let attempts = Counter()
        async let keeping: Void = Self.keepConnected(bus, output, attempts)
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
