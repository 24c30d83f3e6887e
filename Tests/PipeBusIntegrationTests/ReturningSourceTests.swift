// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
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
}
