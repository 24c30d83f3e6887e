// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Ports that are closed while the graph runs: the others miss nothing.
///
/// The stepper fails at a cycle that a node does not finish.
final class ClosedPortTests: BusTestCase {
    func testAPortThatIsClosedHoldsUpNoCycle() async throws { try await check(.chosen, rounds: 60) }

    func testAPortThatIsClosedHoldsUpNoCycleOf14() async throws { try await check(try .newer(), rounds: 30) }

    private func check(_ installation: PipeWireInstallation, rounds: Int) async throws {
        let stage = try await Stage.start(installation: installation)
        let steady = try await stage.sender("steady") { _, _ in 1 }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker)
        try await stage.taker.connect(steady, to: receiver)
        for round in 0..<rounds {
            let guest = try await BusClient.connect(
                as: "org.pipebus.guest", name: "Guest", remote: stage.graph.remote, allowsConnectionsToSelf: true)
            let port = try await addPort(to: guest, round)
            if !(port is ReceiverPort) { try await stage.taker.connect(port.nodeName, to: receiver) }
            if !(port is SenderPort) {
                // Links of its own app go before it; those of another go with it.
                let patchbay = round % 4 < 2 ? guest : stage.taker
                try await patchbay.connect(steady.nodeName, to: port.nodeName)
            }
            try await stage.step(256, cycles: 5)
            hearing.forget()
            try await stage.stepping(256) {
                // By itself, or with its app.
                if round.isMultiple(of: 2) { await port.close() } else { await guest.close() }
            }
            // It may have been closed before a cycle ran.
            try await stage.step(256)
            // With what the port gives, as long as it is there.
            let mix = hearing.mix()
            XCTAssertGreaterThanOrEqual(mix.min() ?? 0, 1 - 1e-6, "round \(round), \(mix.count) frames")
            await guest.close()
        }
        try await stage.close()
    }

    private func addPort(to guest: BusClient, _ round: Int) async throws -> LocalPort {
        switch round % 5 {
        case 0: return try await guest.sender("port", channels: .mono, state: ()) { _, _, _ in }
        case 1:
            return try await guest.filter("port", inputs: .mono, state: ()) { _, _, input, output in
                let from = input[0]
                output.fill(0) { frame in from[frame] }
            }
        case 2: return try await guest.receiver("port", channels: .mono, state: ()) { _, _, _ in }
        case 3:
            // It runs without a connection, too, and so does the other.
            _ = try await guest.sender("other", channels: .mono, keepsRunning: true, state: ()) { _, _, _ in }
            return try await guest.sender("port", channels: .mono, keepsRunning: true, state: ()) { _, _, _ in }
        default:
            let receiver = try await guest.receiver("port", channels: .mono, state: ()) { _, _, _ in }
            try await receiver.setMonitorsAutomatically(true)
            return receiver
        }
    }

    func testAllPortsOfAnAppThatEndsHoldUpNoCycle() async throws {
        let stage = try await Stage.start()
        let steady = try await stage.sender("steady") { _, _ in 1 }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, lanes: 40)
        try await stage.taker.connect(steady, to: receiver)
        let guest = try await BusClient.connect(
            as: "org.pipebus.guest", name: "Guest", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        for number in 0..<32 {
            let port = try await guest.sender("port \(number)", channels: .mono, state: ()) { _, _, _ in }
            try await guest.connect(port.nodeName, to: receiver.nodeName)
        }
        try await stage.step(256, cycles: 5)
        hearing.forget()
        try await stage.stepping(256) { await guest.close() }
        try await stage.step(256)
        XCTAssertGreaterThanOrEqual(hearing.mix().min() ?? 0, 1 - 1e-6)
        try await stage.close()
    }
}
