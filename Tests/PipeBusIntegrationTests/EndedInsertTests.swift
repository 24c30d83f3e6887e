// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The app of a filter ends while the filter is being put into a connection: all of a change, or nothing.
final class EndedInsertTests: BusTestCase {
    func testTheSourceStaysAtAReceiver() async throws { try await assertTheSourceStays(atFilter: false) }

    func testTheSourceStaysAtAFilter() async throws { try await assertTheSourceStays(atFilter: true) }

    private func assertTheSourceStays(atFilter: Bool) async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("source") { _, _ in 1 }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker)
        var destination: LocalPort = receiver
        if atFilter {
            let filter = try await FilterInsertion.plain(on: stage.taker)
            try await stage.taker.connect(filter, to: receiver)
            destination = filter
        }
        try await stage.taker.connect(source.nodeName, to: destination.nodeName)
        let patchbay = try await BusClient.connect(
            as: "org.pipebus.patchbay", name: "Patchbay", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        for round in 0..<4 {
            let guest = try await BusClient.connect(
                as: "org.pipebus.guest", name: "Guest", remote: stage.graph.remote, allowsConnectionsToSelf: true)
            _ = try await FilterInsertion.plain(on: guest)
            try await eventually("the filter") {
                let graph = await patchbay.graph
                return graph.ports.contains { $0.nodeName == "Guest.amp" }
            }
            try await stage.step(256, cycles: 20)
            let client = round.isMultiple(of: 2) ? patchbay : stage.taker
            let name = destination.nodeName
            let change = Task {
                try await client.insert("Guest.amp", from: "Givers.source", to: name, lingers: true)
            }
            // Both connections are made; the exchange takes more frames than that.
            try await eventually("the connections of round \(round)") {
                try await stage.step(16)
                let graph = await patchbay.graph
                return graph.connections.count { connection in
                    [connection.source, connection.destination].contains { graph.port($0)?.nodeName == "Guest.amp" }
                } == 2
            }
            await guest.close()
            hearing.forget()
            try await stage.stepping(256) { _ = await change.result }
            switch await change.result {
            case .success(let change): XCTFail("round \(round): \(change)")
            case .failure(let error):
                // On a busy machine the call may still be waiting for the second connection when the port goes.
                let code = try XCTUnwrap((error as? PipeBusError)?.code, "\(error)")
                XCTAssertTrue([.notConnected, .unknownPort].contains(code), "\(error)")
            }
            try await stage.step(256, cycles: 20)
            let graph = await stage.taker.graph
            XCTAssertEqual(graph.sources(of: destination.id).map(\.name), ["source"], "round \(round)")
            XCTAssertEqual(hearing.mix().min() ?? 0, 1, accuracy: 1e-5, "round \(round)")
        }
        await patchbay.close()
        try await stage.close()
    }
}
