// SPDX-License-Identifier: MIT
import CRealtime
import XCTest

@testable import PipeBus
@testable import PipeWireClient

/// The xruns of a port, and whose fault they were.
final class XrunTests: XCTestCase {
    func testABlockSeesItsXrunsForASecond() throws {
        let rig = FilterRig()
        func run(_ frames: Int = 480) throws -> AudioCycle {
            try XCTUnwrap(rig.run(frames) { _ in Array(repeating: 0, count: frames) }.seen)
        }
        XCTAssertEqual(try run().xrunCount, 0)
        XCTAssertFalse(try run().isRecoveringFromXrun)
        rig.miss(960)
        let first = try run()
        XCTAssertEqual(first.xrunCount, 1)
        XCTAssertEqual(first.missedFrames, 960)
        XCTAssertTrue(first.isRecoveringFromXrun)
        for _ in 0..<99 { XCTAssertTrue(try run().isRecoveringFromXrun) }
        XCTAssertFalse(try run().isRecoveringFromXrun)
        XCTAssertEqual(try run().xrunCount, 1)
        let entries = rig.memory.cells.lastXruns
        XCTAssertEqual(entries.map(\.number), [0])
        XCTAssertEqual(entries[0].entry.position, 960)
        XCTAssertEqual(entries[0].entry.missedFrames, 960)
        XCTAssertEqual(entries[0].entry.rate, 48_000)
    }

    func testTheLastSixteenAreKept() throws {
        let rig = FilterRig()
        _ = rig.run(100) { _ in nil }
        for number in 1...100 {
            rig.miss(number)
            _ = rig.run(100) { _ in nil }
            let entries = rig.memory.cells.lastXruns
            let first = max(number - 16, 0)
            XCTAssertEqual(entries.map(\.number), (first..<number).map { UInt64($0) })
            XCTAssertEqual(entries.map { Int($0.entry.missedFrames) }, (first..<number).map { $0 + 1 })
        }
        XCTAssertEqual(rig.memory.cells.xrunCount, 100)
    }

    func testOnlyTheCulpritsOfTheLastOnesAreKept() {
        let log = CulpritLog()
        for number in UInt64(0)..<40 { log.set(.init(title: "\(number)", isThisApp: false), of: number) }
        XCTAssertNil(log[23])
        XCTAssertEqual(log[24]?.title, "24")
        XCTAssertEqual(log[39]?.title, "39")
    }

    // MARK: Gaps

    /// 100 ms before the time 10 s.
    private func gap(isOwn: Bool = false, nanoseconds: UInt64 = 10_000_000_000, missed: UInt64 = 4800) -> XrunGap {
        XrunGap(
            XrunRing.Entry(
                position: 0, missedFrames: missed, nanoseconds: nanoseconds, clock: 1, rate: 48_000, isOwn: isOwn))
    }

    func testAGapIsTheTimeOfTheMissedFrames() {
        XCTAssertEqual(gap().time, 9_900_000_000...10_000_000_000)
        XCTAssertFalse(gap().isOwn)
        XCTAssertTrue(gap(isOwn: true).isOwn)
        // Any values.
        XCTAssertEqual(gap(nanoseconds: 5).time, 0...5)
        XCTAssertEqual(gap(nanoseconds: .max, missed: .max).time.upperBound, .max)
        XCTAssertTrue(gap(nanoseconds: .max, missed: .max).contains(.max))
        XCTAssertTrue(gap(nanoseconds: 0, missed: 0).contains(0))
    }

    func testOneOfOurCallsThatEndedInTheGapCausedIt() {
        var load = crt_load_values()
        func caused(_ begun: UInt64, _ ended: UInt64, overruns: UInt32 = 1) -> Bool {
            (load.overruns, load.overrun_begun, load.overrun_ended) = (overruns, begun * 1_000_000, ended * 1_000_000)
            return gap().overlaps(overrunOf: load)
        }
        XCTAssertTrue(caused(9_890, 9_995))
        XCTAssertTrue(caused(9_880, 10_005))
        XCTAssertFalse(caused(9_000, 9_100))
        XCTAssertFalse(caused(10_500, 10_600))
        XCTAssertFalse(caused(9_890, 9_995, overruns: 0))
    }

    func testAGapOfAnotherPortOfOursCausedItIfThatPortWasLate() {
        let late = gap(isOwn: true, nanoseconds: 9_880_000_000, missed: 960)
        XCTAssertTrue(gap().isExplained(by: late), "just before")
        XCTAssertTrue(gap().isExplained(by: gap(isOwn: true)))
        XCTAssertFalse(gap().isExplained(by: gap()), "it was nobody's of ours")
        XCTAssertFalse(gap().isExplained(by: gap(isOwn: true, nanoseconds: 9_800_000_000, missed: 960)), "long before")
        XCTAssertFalse(gap().isExplained(by: gap(isOwn: true, nanoseconds: 10_500_000_000, missed: 960)), "later")
    }

    // MARK: Reports

    private func node(
        _ id: UInt32, _ status: ProfilerReport.Status, finish: Int64 = 1, isAsync: Bool = false
    ) -> ProfilerReport.Node {
        ProfilerReport.Node(
            id: id, name: "n\(id)", previousSignal: 0, signal: 5, start: 0, finish: finish, status: status,
            xrunCount: nil, isAsync: isAsync)
    }

    private func report(_ followers: [ProfilerReport.Node], at signal: Int64 = 0) -> ProfilerReport {
        var driver = node(1, .running)
        driver.signal = signal
        return ProfilerReport(driver: driver, followers: followers)
    }

    func testTheLateNodeIsTheOneThatFinishedTheLongestTimeAgo() {
        let all = [
            node(10, .waiting), node(20, .finished), node(21, .signalled, finish: 9), node(22, .running, finish: 3),
        ]
        XCTAssertEqual(report(all).lateNode?.id, 22)
        XCTAssertEqual(report(all).lateNode(delaying: [10])?.id, 22)
        XCTAssertEqual(report(all).lateNode(delaying: [22])?.id, 22, "ourselves")
        XCTAssertNil(report(all).lateNode(delaying: [20]), "it has finished the cycle")
        XCTAssertNil(report(all).lateNode(delaying: [99]), "in another graph")
    }

    func testNobodyIsLateInACycleThatWasFinished() {
        XCTAssertNil(report([node(10, .finished), node(20, .inactive)]).lateNode)
        XCTAssertNil(report([node(10, .waiting)]).lateNode, "the driver itself, or a node that is not reported")
        XCTAssertNil(report([node(1, .signalled), node(10, .waiting)]).lateNode, "the driver is none")
        XCTAssertNil(report([node(20, .signalled, isAsync: true), node(10, .waiting)]).lateNode)
    }

    /// As 0.3.65 and 1.4 report them, in milliseconds after an earlier cycle of 20 ms.
    func testTheDriverIsTheLateOneIfNobodyHadTheTimeOfACycle() {
        func late(nominal: Int64, signal: Int64, previous: Int64, finish: Int64, node: Int64) -> UInt32? {
            var report = report([self.node(10, .waiting), self.node(22, .signalled, finish: 3)])
            let base: Int64 = 1_000_000_000
            func time(_ milliseconds: Int64) -> Int64 { base + milliseconds * 1_000_000 }
            report.clock = ProfilerReport.Clock(
                id: 1, name: "c", nanoseconds: time(nominal), sampleRate: 48_000, position: 0, duration: 960, delay: 0)
            report.driver.signal = time(signal)
            report.driver.previousSignal = time(previous)
            report.driver.finish = time(finish)
            report.followers[1].signal = time(node)
            return report.lateNode?.id
        }
        XCTAssertEqual(late(nominal: 20, signal: 20, previous: 0, finish: 8, node: 20), 22)
        XCTAssertEqual(late(nominal: 20, signal: 0, previous: 0, finish: 20, node: 0), 22, "times of the cycle before")
        XCTAssertEqual(late(nominal: 20, signal: 39, previous: 0, finish: 38, node: 39), 22, "less than a cycle late")
        XCTAssertEqual(late(nominal: 20, signal: 0, previous: 0, finish: 2000, node: 0), 1, "it was stopped")
        XCTAssertEqual(late(nominal: 20, signal: 0, previous: 0, finish: 0, node: 2000), 1, "the same on 1.4")
        XCTAssertEqual(late(nominal: 40, signal: 2001, previous: 2000, finish: 2001, node: 2001), 1, "it hastens")
        XCTAssertEqual(late(nominal: 2000, signal: 2001, previous: 2000, finish: 2001, node: 2001), 1, "and at last")
        XCTAssertEqual(late(nominal: 2020, signal: 2020, previous: 2001, finish: 2015, node: 2020), 22)
    }

    func testTimesOfAnySizeAreRead() {
        for times in [(Int64.min, Int64.max), (.max, .min), (0, .max), (.min, 0)] {
            var report = report([node(22, .signalled)], at: times.0)
            report.clock = ProfilerReport.Clock(
                id: 1, name: "c", nanoseconds: times.1, sampleRate: 1, position: 0, duration: 65_536, delay: 0)
            report.driver.previousSignal = times.1
            XCTAssertNotNil(report.lateNode)
        }
    }

    func testTheFirstIncidentInAGapNamesTheCulprit() {
        var incidents = XrunIncidents()
        XCTAssertNil(incidents.culprit(of: gap()))
        for (name, milliseconds) in [("before", Int64(9_000)), ("second", 9_960), ("first", 9_930), ("after", 10_500)] {
            incidents.add(.init(title: name, isThisApp: false), in: report([], at: milliseconds * 1_000_000))
        }
        incidents.add(.init(title: "never", isThisApp: false), in: report([], at: -1))
        XCTAssertEqual(incidents.culprit(of: gap())?.title, "first")
        for number in 0..<300 {
            incidents.add(.init(title: "late", isThisApp: true), in: report([], at: Int64(number) + 20_000_000_000))
        }
        XCTAssertNil(incidents.culprit(of: gap()), "forgotten")
    }
}
