// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// A graph that does not run although something is connected.
final class StandstillTests: BusTestCase {
    /// The kinds of all notices, with the time at which each came.
    private final class Log: Sendable {
        private let kept = Mutex<[(kind: Notice.Kind, message: String, time: ContinuousClock.Instant)]>([])

        init(_ bus: BusClient) async {
            let notices = bus.notices
            Task { [self] in
                for await notice in notices { kept.withLock { $0.append((notice.kind, notice.message, .now)) } }
            }
        }

        var standstills: [(kind: Notice.Kind, message: String, time: ContinuousClock.Instant)] {
            kept.withLock { $0.filter { $0.kind == .graphStandsStill } }
        }
    }

    func testItIsReportedOnceForEachStandstill() async throws {
        let stage = try await Stage.start()
        let log = await Log(stage.taker)
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.step(1024, cycles: 3)
        XCTAssertTrue(log.standstills.isEmpty)
        // No cycle runs from here on.
        let start = ContinuousClock.now
        try await stage.taker.connect(sender, to: receiver)
        for count in 1...2 {
            try await eventually("notice \(count)", within: .seconds(20)) { log.standstills.count >= count }
            // As long again: it is not reported a second time.
            let first = log.standstills[count - 1].time
            try await eventually("some time to pass", within: .seconds(20)) { first.duration(to: .now) > .seconds(3) }
            XCTAssertEqual(log.standstills.count, count)
            try await stage.step(1024, cycles: 3)
        }
        XCTAssertGreaterThan(start.duration(to: log.standstills[0].time), .seconds(2))
        XCTAssertTrue(log.standstills[0].message.contains("Taker in is connected"), log.standstills[0].message)
        // Nothing is connected: there is nothing to wait for.
        try await stage.taker.disconnect(sender, from: receiver)
        let end = ContinuousClock.now
        try await eventually("some time to pass", within: .seconds(20)) { end.duration(to: .now) > .seconds(3) }
        XCTAssertEqual(log.standstills.count, 2)
        try await stage.close()
    }

    func testAGraphThatRunsIsLeftAlone() async throws {
        let stage = try await Stage.start()
        let log = await Log(stage.taker)
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        // It stands still by itself: the port has no destination.
        _ = try await stage.taker.sender("out", state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: receiver)
        let start = ContinuousClock.now
        try await eventually("some time to pass", within: .seconds(20)) {
            try await stage.step(64)
            return start.duration(to: .now) > .seconds(4)
        }
        XCTAssertTrue(log.standstills.isEmpty)
        try await stage.close()
    }
}
