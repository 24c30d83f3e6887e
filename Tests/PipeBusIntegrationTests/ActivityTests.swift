// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The activity of all nodes, for an app. `TopCommandTests` has the rest.
final class ActivityTests: DaemonTestCase {
    func testAReaderThatGoesAwayCostsNothing() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, keepsRunning: true, state: ()) { _, _, _ in }
        var tables = 0
        for await activity in bus.activity(every: .milliseconds(50)) {
            let isMeasuring = await bus.isMeasuringActivity
            XCTAssertTrue(isMeasuring)
            guard let node = activity.nodes.first(where: { $0.title == "Test out" }), let load = node.load else {
                continue
            }
            XCTAssertLessThanOrEqual(load.mean, load.maximum)
            XCTAssertEqual(node.driver, "Dummy-Driver")
            tables += 1
            if tables == 3 { break }
        }
        try await eventually("the end of the measurement", within: .seconds(30)) { await !bus.isMeasuringActivity }
        await bus.close()
    }

    func testItGoesOnOverASessionAndEndsWithTheClient() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, keepsRunning: true, state: ()) { _, _, _ in }
        let isSeen = Flag()
        let isSeenAgain = Flag()
        let isRestarted = Flag()
        let reader = Task {
            for await activity in bus.activity(every: .milliseconds(50))
            where activity.nodes.contains(where: { $0.load != nil }) {
                (isRestarted.isRaised ? isSeenAgain : isSeen).raise()
            }
        }
        try await eventually("a table") { isSeen.isRaised }
        try await bus.restartSession()
        isRestarted.raise()
        try await eventually("a table of the next session", within: .seconds(20)) { isSeenAgain.isRaised }
        await bus.close()
        await reader.value
        for await _ in bus.activity() { XCTFail("an element of a closed client") }
    }
}
