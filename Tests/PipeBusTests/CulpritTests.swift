// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus
@testable import PipeWireClient

/// Which nodes hold up a graph, by the profiler's report.
final class CulpritTests: XCTestCase {
    private let now: Int64 = 1_000_000_000_000

    /// - Parameter unfinished: the milliseconds since the node finished.
    private func node(
        _ id: UInt32, _ status: ProfilerReport.Status, unfinished: Int64 = 0, isAsync: Bool = false
    ) -> ProfilerReport.Node {
        ProfilerReport.Node(
            id: id, name: "n\(id)", previousSignal: 0, signal: status == .waiting ? now - 300_000_000 : now, start: now,
            finish: now - unfinished * 1_000_000, status: status, isAsync: isAsync)
    }

    private func culprits(_ followers: [ProfilerReport.Node], driver: ProfilerReport.Node? = nil) -> [UInt32] {
        ProfilerReport(driver: driver ?? node(1, .finished), followers: followers)
            .culprits(holdingUp: [10], own: [10, 11]).map(\.id)
    }

    func testTheNodeThatWasSignalledAndDoesNotFinishIsIt() {
        XCTAssertEqual(
            culprits([node(20, .finished), node(21, .signalled, unfinished: 170), node(10, .waiting)]), [21])
        XCTAssertEqual(culprits([node(21, .running, unfinished: 170), node(10, .waiting)]), [21])
        // Never finished at all.
        XCTAssertEqual(culprits([node(21, .signalled, unfinished: now / 1_000_000), node(10, .waiting)]), [21])
    }

    func testAnOwnNodeThatIsNotWoken() {
        func unwoken(_ followers: [ProfilerReport.Node]) -> Set<UInt32> {
            ProfilerReport(driver: node(1, .finished), followers: followers)
                .unwoken(among: [10, 11], for: 1_000_000_000)
        }
        XCTAssertEqual(
            unwoken([node(10, .inactive, unfinished: 1500), node(11, .inactive, unfinished: 1000)]), [10, 11])
        // It may only be slow, waits for another one or for a processor, runs, or is not ours.
        XCTAssertEqual(
            unwoken([node(10, .inactive, unfinished: 900), node(11, .waiting, unfinished: 1500)]), [])
        XCTAssertEqual(unwoken([node(10, .signalled, unfinished: 1500)]), [])
        XCTAssertEqual(
            unwoken([
                node(10, .finished, unfinished: 1500), node(11, .running, unfinished: 1500),
                node(12, .inactive, unfinished: 1500),
            ]), [])
        // Never yet: it may only be about to start. And any values.
        XCTAssertEqual(unwoken([node(10, .inactive, unfinished: now / 1_000_000)]), [])
        var hostile = node(10, .inactive)
        hostile.finish = .min
        XCTAssertEqual(unwoken([hostile]), [])
    }

    func testTwoAtOnce() {
        let followers = [20, 21].map { node($0, .signalled, unfinished: 500) }
        XCTAssertEqual(culprits(followers + [node(10, .waiting)]), [20, 21])
    }

    func testVictimsAreNone() {
        XCTAssertEqual(
            culprits([node(21, .signalled, unfinished: 170), node(22, .waiting, unfinished: 170), node(10, .waiting)]),
            [21])
    }

    func testTheDriverIsNever() {
        // 1.4 shows the driver as signalled too.
        let driver = node(1, .signalled, unfinished: 500)
        XCTAssertEqual(culprits([node(10, .waiting)], driver: driver), [])
        XCTAssertEqual(culprits([driver, node(10, .waiting)], driver: driver), [])
    }

    func testASlowNodeIsNone() {
        XCTAssertEqual(culprits([node(21, .signalled, unfinished: 90), node(10, .waiting)]), [])
        XCTAssertEqual(culprits([node(21, .signalled, unfinished: -5), node(10, .waiting)]), [])
    }

    func testANodeThatIsSlowAgainAndAgainHasLessTime() {
        for (unfinished, found) in [(40, []), (60, [21])] as [(Int64, [UInt32])] {
            let report = ProfilerReport(
                driver: node(1, .finished),
                followers: [node(21, .signalled, unfinished: unfinished), node(10, .waiting)])
            let culprits = report.culprits(holdingUp: [10], own: [10], for: ProfilerReport.repeatedHangTime)
            XCTAssertEqual(culprits.map(\.id), found)
        }
    }

    func testAnAsynchronousOrInactiveNodeIsNone() {
        XCTAssertEqual(culprits([node(21, .signalled, unfinished: 500, isAsync: true), node(10, .waiting)]), [])
        XCTAssertEqual(culprits([node(21, .inactive, unfinished: 500), node(10, .waiting)]), [])
        XCTAssertEqual(culprits([node(21, .other(9), unfinished: 500), node(10, .waiting)]), [])
    }

    func testOurOwnThreadIsNobodysFault() {
        // Our node has all of its input.
        for status in [ProfilerReport.Status.signalled, .running, .finished] {
            XCTAssertEqual(culprits([node(21, .signalled, unfinished: 500), node(10, status, unfinished: 500)]), [])
        }
        // Another node of ours is late.
        XCTAssertEqual(culprits([node(11, .running, unfinished: 500), node(10, .waiting)]), [])
        // Ours is not in this driver's graph.
        XCTAssertEqual(culprits([node(21, .signalled, unfinished: 500)]), [])
    }

    func testAnyTimesAreRead() {
        for (signal, finish) in [(Int64.max, Int64.min), (.min, .max), (0, 0), (-1, 0), (5, .min)] {
            let bad = ProfilerReport.Node(
                id: 21, name: "", previousSignal: 0, signal: signal, start: 0, finish: finish, status: .signalled)
            XCTAssertEqual(culprits([bad, node(10, .waiting)]), signal > 0 && finish < 0 ? [21] : [])
        }
    }

    func testAnAnswerIsANodeThatFinishesLater() {
        let report = ProfilerReport(
            driver: node(1, .finished),
            followers: [node(20, .finished), node(21, .signalled), node(22, .finished, unfinished: 900)])
        XCTAssertEqual(report.hasFinished(20, since: now - 1), true)
        XCTAssertEqual(report.hasFinished(21, since: now - 1), false)
        XCTAssertEqual(report.hasFinished(22, since: now - 1), false)
        XCTAssertNil(report.hasFinished(23, since: 0))
    }
}
