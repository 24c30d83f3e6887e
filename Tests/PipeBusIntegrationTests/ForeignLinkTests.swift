// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Links that other patchbays make into a lane that has its source.
///
/// A lane's meter is the largest sample of every cycle since the last reading, so one single cycle in which the two were
/// mixed in one lane would show as 0.75: the sources give 0.25 and 0.5 all the time. The readings come from the audio
/// thread, not from a sample of cycles.
final class ForeignLinkTests: DaemonTestCase {
    func testItIsMovedWithoutOneMixedCycle() async throws {
        for quantum in [16, 64, 256, 1024] { try await move(quantum: quantum, times: 10) }
    }

    private func move(quantum: Int, times: Int) async throws {
        let scene = try await Scene.start(on: try await startDaemon(.init(quantum: quantum)))
        for round in 0..<times {
            try await scene.readMeters()
            let before = try await scene.receiver.statistics.cycles
            for channel in ["FL", "FR"] {
                try await scene.link("Second.out:output_\(channel)", "Test.in:input_1_\(channel)")
            }
            let connection = try await scene.movedConnection()
            XCTAssertEqual(connection.links.map(\.input), [2, 3], "both channels are on the second lane")
            try await scene.runCycles(20)
            let peaks = try await scene.readMeters()
            XCTAssertEqual(peaks, ["First out": 0.25, "Second out": 0.5], "round \(round), quantum \(quantum)")
            let cycles = try await scene.receiver.statistics.cycles - before
            XCTAssertGreaterThanOrEqual(cycles, 20)
            // Each link is moved once only; a new port is a new source.
            try await scene.renewSecond()
        }
        // Once for each source that came, not for each of its channels.
        let notices = try await scene.allNotices()
        XCTAssertEqual(notices.map(\.kind), Array(repeating: .linkMoved, count: times))
    }

    func testASecondTimeItStaysAndIsReported() async throws {
        let scene = try await Scene.start(on: try await startDaemon(.init(quantum: 256)))
        let ends = ("Second.out:output_FL", "Test.in:input_1_FL")
        try await scene.link(ends.0, ends.1)
        _ = try await scene.movedConnection(links: 1)
        // Another client makes the link again.
        try await scene.link(ends.0, ends.1)
        let notices = await scene.notices(2)
        XCTAssertEqual(notices.map(\.kind), [.linkMoved, .laneShared])
        XCTAssertEqual(notices.map(\.port), [scene.receiver.name, scene.receiver.name])
        XCTAssertTrue(notices[1].message.contains("Second out"), notices[1].message)
        try await scene.runCycles(20)
        let inputs = await scene.linkedInputs
        XCTAssertEqual(inputs, [0, 0, 1, 2], "the link that came back is still there")
        try await scene.close()
    }

    /// Whoever disconnects a source and connects it later does so anew.
    func testASourceThatWasAwayIsMovedAgain() async throws {
        let scene = try await Scene.start(on: try await startDaemon(.init(quantum: 256)))
        for _ in 0..<2 {
            try await scene.link("Second.out:output_FL", "Test.in:input_1_FL")
            _ = try await scene.movedConnection(links: 1)
            try await scene.bus.disconnect("Second.out", from: scene.receiver)
            try await eventually("it to be disconnected") { await scene.linkedInputs == [0, 1] }
            let left = ContinuousClock.now
            try await eventually("more than a second to pass") { left.duration(to: .now) > .milliseconds(1500) }
        }
        let notices = try await scene.allNotices()
        XCTAssertEqual(notices.map(\.kind), [.linkMoved, .linkMoved])
    }

    func testWithoutAFreeLaneItStaysAndIsReported() async throws {
        let scene = try await Scene.start(on: try await startDaemon(.init(quantum: 256)), lanes: 1)
        for channel in ["FL", "FR"] {
            try await scene.link("Second.out:output_\(channel)", "Test.in:input_1_\(channel)")
        }
        try await eventually("both links") { await scene.linkedInputs == [0, 0, 1, 1] }
        try await scene.runCycles(20)
        let peaks = try await scene.readMeters()
        XCTAssertEqual(peaks["First out"], 0.75, "the two are one source now")
        let notices = try await scene.allNotices()
        XCTAssertEqual(notices.map(\.kind), [.laneShared], "once for the source")
    }

    func testALinkIntoAFreeLaneIsLeftWhereItIs() async throws {
        let scene = try await Scene.start(on: try await startDaemon(.init(quantum: 256)))
        try await scene.link("Second.out:output_FL", "Test.in:input_5_FL")
        try await eventually("the link") { await scene.linkedInputs == [0, 1, 8] }
        try await scene.runCycles(20)
        let inputs = await scene.linkedInputs
        XCTAssertEqual(inputs, [0, 1, 8])
        try await scene.close()
    }
}
