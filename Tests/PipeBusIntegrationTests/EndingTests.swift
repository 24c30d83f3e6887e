// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// How clients and ports end when somebody else ends them.
final class EndingTests: DaemonTestCase {
    private func connect(_ daemon: HeadlessPipeWire) async throws -> BusClient {
        try await BusClient.connect(
            as: "org.example.ending", name: "Ending", remote: daemon.remote, allowsConnectionsToSelf: true)
    }

    func testAPortThatSomebodyDestroysIsClosedAndMayBeAddedAgain() async throws {
        let daemon = try await startDaemon()
        let bus = try await connect(daemon)
        let port = try await bus.sender("out", state: ()) { _, _, _ in }
        let notices = await bus.notices
        let tool = try daemon.run("pw-cli", ["destroy", port.nodeName])
        _ = try await tool.waitForEnd()
        var iterator = notices.makeAsyncIterator()
        var lost: Notice?
        while let notice = await iterator.next() {
            if notice.kind == .portLost {
                lost = notice
                break
            }
        }
        XCTAssertEqual(lost?.port, port.id)
        do {
            _ = try await port.title
            XCTFail("a port that is gone has a title")
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, .closed)
        }
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        await bus.close()
    }

    func testRunUntilSignalEndsWithItsTask() async throws {
        let bus = try await connect(try await startDaemon())
        let task = Task { await bus.runUntilSignal() }
        await Task.yield()
        task.cancel()
        let ending = await task.value
        XCTAssertEqual(ending, .cancelled)
    }

    func testRunUntilSignalEndsWhenTheDaemonDies() async throws {
        let daemon = try await startDaemon()
        let bus = try await connect(daemon)
        let task = Task { await bus.runUntilSignal() }
        daemon.signal(SIGKILL)
        guard case .connectionLost(let error) = await task.value else { return XCTFail("not lost") }
        XCTAssertEqual(error.code, .connectionLost)
    }

    func testRunUntilSignalEndsWhenTheClientIsClosed() async throws {
        let bus = try await connect(try await startDaemon())
        let task = Task { await bus.runUntilSignal() }
        await Task.yield()
        await bus.close()
        let ending = await task.value
        XCTAssertEqual(ending, .closed)
    }

    func testAReceiverOfTooManyChannelsIsRefused() async throws {
        let bus = try await connect(try await startDaemon())
        for (lanes, channels) in [(0, 2), (65, 2), (64, 64), (1, 0), (1, 1000), (-1, 1)] {
            do {
                _ = try await bus.receiver("in", channels: .channels(channels), lanes: lanes, state: ()) { _, _, _ in }
                XCTFail("\(lanes) lanes of \(channels) channels")
            } catch {
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            }
        }
        await bus.close()
    }
}
