// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What is left of an insertion when the app that made it ends.
final class LastingInsertionTests: DaemonTestCase {
    private static let direct: Set = ["Givers.out Taker.in"]
    private static let inserted: Set = ["Givers.out Givers.filter", "Givers.filter Taker.in"]

    func testTheConnectionOfSomebodyElseOutlivesTheApp() async throws {
        for isTakenOut in [true, false] {
            let (others, patchbay) = try await start()
            try await others[0].connect("Givers.out", to: "Taker.in", lingers: true)
            try await patchbay.insert("Givers.filter", from: "Givers.out", to: "Taker.in")
            if isTakenOut { try await patchbay.takeOut("Givers.filter") }
            await patchbay.close()
            try await assertLeft(isTakenOut ? Self.direct : Self.inserted, others)
        }
    }

    func testThatOfAnAppThatStillRunsDoesToo() async throws {
        let (others, patchbay) = try await start()
        try await others[1].connect("Givers.out", to: "Taker.in")
        let change = try await patchbay.insert("Givers.filter", from: "Givers.out", to: "Taker.in")
        try await patchbay.apply(change.inverse)
        await patchbay.close()
        try await assertLeft(Self.direct, others)
    }

    func testItsOwnEndsWithIt() async throws {
        for lingers in [false, true] {
            let (others, patchbay) = try await start()
            try await patchbay.connect("Givers.out", to: "Taker.in")
            try await patchbay.insert("Givers.filter", from: "Givers.out", to: "Taker.in", lingers: lingers)
            await patchbay.close()
            try await assertLeft(lingers ? Self.inserted : [], others)
        }
    }

    private func start() async throws -> (others: [BusClient], patchbay: BusClient) {
        let daemon = try await startDaemon(.init(quantum: 256))
        func client(_ name: String) async throws -> BusClient {
            try await BusClient.connect(
                as: "org.pipebus.\(name.lowercased())", name: name, remote: daemon.remote, allowsConnectionsToSelf: true
            )
        }
        let (givers, taker) = (try await client("Givers"), try await client("Taker"))
        _ = try await givers.sender("out", channels: .mono, state: ()) { _, _, output in output.fill(0) { _ in 0.5 } }
        _ = try await givers.filter("filter", inputs: .mono, state: ()) { _, _, input, output in
            let from = input[0]
            output.fill(0) { frame in from[frame] }
        }
        _ = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let patchbay = try await client("Patchbay")
        for client in [givers, taker, patchbay] {
            try await eventually("the ports") { await client.graph.ports.filter(\.isPipeBus).count == 3 }
        }
        return ([givers, taker], patchbay)
    }

    private func assertLeft(
        _ expected: Set<String>, _ others: [BusClient], file: StaticString = #filePath, line: UInt = #line
    ) async throws {
        try await eventually("its end") { await others[0].graph.peers.allSatisfy { $0.name != "Patchbay" } }
        let left = await others[0].connectionNames
        XCTAssertEqual(left, expected, file: file, line: line)
        for client in others { await client.close() }
    }
}
