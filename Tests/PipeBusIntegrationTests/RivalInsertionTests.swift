// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Two patchbays put a filter each into one connection at the same moment: one of the two is there then, and the sound is heard once.
final class RivalInsertionTests: BusTestCase {
    func testAtAReceiver() async throws { try await check(atFilter: false) }
    func testAtAFilter() async throws { try await check(atFilter: true) }

    private func check(atFilter: Bool) async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("source") { _, _ in 1 }
        for name in ["first", "second"] { _ = try await stage.delay(name, by: 0) }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker)
        var destination: LocalPort = receiver
        if atFilter {
            destination = try await FilterInsertion.plain(on: stage.taker)
            try await stage.taker.connect(destination.nodeName, to: receiver)
        }
        let name = destination.nodeName
        try await stage.taker.connect(source, to: name)
        let other = try await stage.patchbay(isForeign: true)
        try await stage.step(256, cycles: 20)
        hearing.forget()
        var counts = [0, 0]
        for round in 0..<20 {
            // The receiver's own app is one of them in every other round.
            let patchbays = [round.isMultiple(of: 2) ? stage.taker : stage.givers, other]
            let results = Results()
            try await stage.stepping(256) {
                await withTaskGroup(of: Void.self) { group in
                    for (index, filter) in ["first", "second"].enumerated() {
                        group.addTask {
                            do {
                                try await patchbays[index].insert("Givers.\(filter)", from: source, to: name)
                                results.add(filter)
                            } catch {
                                XCTAssertEqual((error as? PipeBusError)?.code, .notConnected, "\(error)")
                            }
                        }
                    }
                }
            }
            let filter = try XCTUnwrap(results.all.first)
            XCTAssertEqual(results.all.count, 1, "round \(round)")
            counts[filter == "first" ? 0 : 1] += 1
            let expected: Set = ["Givers.source Givers.\(filter)", "Givers.\(filter) \(name)"]
            // The winner's own graph may be ahead of the other's.
            try await eventually("round \(round): \(expected)") {
                await other.connectionNames.filter { !$0.hasSuffix(" Taker.in") || !atFilter } == expected
            }
            try await stage.stepping(256) { try await other.takeOut("Givers.\(filter)") }
        }
        print("rivals: \(counts)")
        let mix = hearing.mix()
        XCTAssertEqual(mix.min() ?? 0, 1, accuracy: 1e-5)
        XCTAssertEqual(mix.max() ?? 0, 1, accuracy: 1e-5)
        await other.close()
        try await stage.close()
    }
}

private final class Results: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
}
