// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

@testable import PipeBus

final class LatencyLedgerTests: XCTestCase {
    func testASenderPublishesItsOwnLatency() {
        XCTAssertEqual(LatencyLedger(own: 64).published, .frames(64...64))
    }

    func testAFilterAddsItsOwnToWhatArrives() {
        var ledger = LatencyLedger(own: 480)
        ledger.report(upstream: .frames(100...100), onInput: 0)
        ledger.report(upstream: .frames(20...200), onInput: 1)
        XCTAssertEqual(ledger.published, .frames(500...680))
        XCTAssertEqual(ledger.publishedUpstream, .frames(480...480))
        ledger.report(downstream: .frames(1000...1000), onOutput: 0)
        XCTAssertEqual(ledger.publishedUpstream, .frames(1480...1480))
    }

    func testALatencyThatIsWithdrawnIsZero() {
        var ledger = LatencyLedger(own: 0)
        ledger.report(upstream: .frames(100...100), onInput: 0)
        ledger.report(upstream: nil, onInput: 0)
        XCTAssertEqual(ledger.published, .none)
    }

    func testALaneIsAsOldAsItsOldestChannel() {
        var ledger = LatencyLedger(own: 0)
        ledger.report(upstream: .frames(5...7), onInput: 2)
        ledger.report(upstream: .frames(9...9), onInput: 3)
        XCTAssertEqual(ledger.upstream(ofInputs: [2, 3], cycleLength: 256, sampleRate: 48_000), 5...9)
        XCTAssertEqual(ledger.upstream(ofInputs: [0, 1], cycleLength: 256, sampleRate: 48_000), 0...0)
    }

    func testCyclesAndTimeCountInFramesAndArePassedOnAsTheyAre() {
        var ledger = LatencyLedger(own: 10)
        let device = PathLatency(cycles: 1.5, frames: 32, nanoseconds: 1_000_000)
        ledger.report(upstream: PathLatencyRange(device, device), onInput: 0)
        XCTAssertEqual(ledger.upstream(ofInputs: [0], cycleLength: 256, sampleRate: 48_000), 464...464)
        XCTAssertEqual(ledger.upstream(ofInputs: [0], cycleLength: 1024, sampleRate: 96_000), 1664...1664)
        XCTAssertEqual(ledger.upstream(ofInputs: [0], cycleLength: 0, sampleRate: 0), 32...32)
        let passed = PathLatency(cycles: 1.5, frames: 42, nanoseconds: 1_000_000)
        XCTAssertEqual(ledger.published, PathLatencyRange(passed, passed))
        XCTAssertTrue(ledger.isRelative)
    }

    func testNonsenseFromOtherProcessesIsPutRight() {
        let nonsense = PathLatencyRange(
            PathLatency(cycles: .nan, frames: .max, nanoseconds: .max),
            PathLatency(cycles: -.infinity, frames: .min, nanoseconds: -1))
        var ledger = LatencyLedger(own: 1 << 20)
        ledger.report(upstream: nonsense, onInput: 0)
        XCTAssertEqual(ledger.upstream(ofInputs: [0], cycleLength: 8192, sampleRate: .max), 0...(1 << 30))
    }

    func testReportsThatAreReplacedCountAgainLater() {
        var ledger = LatencyLedger(own: 10)
        ledger.report(upstream: .frames(100...100), onInput: 0)
        ledger.replaceReports(of: 0, .upstream, by: nil)
        XCTAssertEqual(ledger.published, .frames(110...110), "as it was, until it is known")
        ledger.report(upstream: .frames(200...200), onInput: 0)
        XCTAssertEqual(ledger.published, .frames(110...110))
        ledger.replaceReports(of: 0, .upstream, by: .frames(5...5))
        XCTAssertEqual(ledger.published, .frames(15...15))
        ledger.trustReports(of: 0, .upstream)
        XCTAssertEqual(ledger.published, .frames(210...210))
        ledger.replaceReports(of: 0, .upstream, by: .frames(5...5))
        ledger.report(upstream: nil, onInput: 0)
        ledger.trustReports(of: 0, .upstream)
        XCTAssertEqual(ledger.published, .frames(10...10))
    }

    func testALatencyBelowThePublishedOneIsNotOnesOwn() {
        var ledger = LatencyLedger(own: 10)
        ledger.report(upstream: .frames(100...100), onInput: 0)
        XCTAssertFalse(ledger.mayInclude(.frames(0...109), reportedOnInput: true))
        XCTAssertTrue(ledger.mayInclude(.frames(0...110), reportedOnInput: true))
        XCTAssertTrue(ledger.mayInclude(.frames(10...10), reportedOnInput: false))
        XCTAssertFalse(ledger.mayInclude(.frames(9...9), reportedOnInput: false))
    }

    func testALoopOfReportsDoesNotGrowForEver() {
        var ledger = LatencyLedger(own: 1 << 20)
        for _ in 0..<100_000 { ledger.report(upstream: ledger.published, onInput: 0) }
        XCTAssertEqual(ledger.published, .frames((1 << 30)...(1 << 30)))
    }
}
