// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The end of clients and ports by another client or the daemon.
final class EndingTests: DaemonTestCase {
    private func connect(_ daemon: HeadlessPipeWire) async throws -> BusClient {
        try await BusClient.connect(
            as: "org.example.ending", name: "Ending", remote: daemon.remote, allowsConnectionsToSelf: true)
    }

    func testAPortThatIsDestroyedAgainAndAgainIsClosed() async throws {
        let daemon = try await startDaemon()
        let bus = try await connect(daemon)
        let port = try await bus.sender("out", state: ()) { _, _, _ in }
        let notices = try await destroy(port, of: bus, on: daemon)
        XCTAssertEqual(notices.last { $0.kind == .portLost }?.port, port.name)
        XCTAssertEqual(notices.count { $0.kind == .portRestored }, 5)
        do {
            _ = try await port.title
            XCTFail("a port that is gone has a title")
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, .closed)
        }
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        await bus.close()
    }

    func testTheAuxiliaryInputsOfAFilterEndWithIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await connect(daemon)
        func add() async throws -> FilterPort {
            try await bus.filter("duck", auxiliaryInputs: [AuxiliaryInput("key")], state: ()) { _, _, _, _, _ in }
        }
        let filter = try await add()
        _ = try await destroy(filter, of: bus, on: daemon)
        await assertThrows("an input of a filter that is gone") {
            _ = try await filter.auxiliaryInputs[0].title
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
        let again = try await add()
        let names = await bus.graph.ports.filter { $0.nodeName.hasPrefix("Ending.") }.map(\.name)
        XCTAssertEqual(names.sorted(), ["duck", "duck.key"])
        await filter.close()
        XCTAssertNotNil(again.auxiliaryInputs[0].graphID)
        await bus.close()
    }

    /// Destroys a port again and again, until it is given up.
    ///
    /// - Returns: the notices on the way.
    private func destroy(_ port: LocalPort, of bus: BusClient, on daemon: HeadlessPipeWire) async throws -> [Notice] {
        let notices = Box<[Notice]>([])
        let reader = Task { [updates = bus.notices] in
            for await notice in updates { notices.value.append(notice) }
        }
        defer { reader.cancel() }
        var last: GraphPort.ID?
        while !notices.value.contains(where: { $0.kind == .portLost }) {
            try await eventually("the port, or its end") {
                port.graphID != nil && port.graphID != last || notices.value.contains { $0.kind == .portLost }
            }
            guard let id = port.graphID, let node = await bus.graph.port(id)?.nodeID else { continue }
            last = id
            _ = try await daemon.run("pw-cli", ["destroy", "\(node)"]).waitForEnd()
            try await eventually("its removal") { port.graphID != id }
        }
        return notices.value
    }

    func testRunUntilSignalEndsWithItsTask() async throws {
        let bus = try await connect(try await startDaemon())
        let task = Task { await bus.runUntilSignal() }
        await Task.yield()
        task.cancel()
        let ending = await task.value
        XCTAssertEqual(ending, .cancelled)
    }

    func testRunUntilSignalEndsWhenTheClientIsRemoved() async throws {
        let daemon = try await startDaemon()
        let bus = try await connect(daemon)
        let task = Task { await bus.runUntilSignal() }
        try await daemon.removeClient(named: "Ending")
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

    func testASignalEndsTheWaitAndLeavesTheClientOpen() async throws {
        let bus = try await connect(try await startDaemon())
        let input = try await bus.receiver("in", state: ()) { _, _, _ in }
        let task = Task { await bus.waitForSignal() }
        try await eventually("the signal to be watched") {
            var action = sigaction()
            unsafe sigaction(SIGTERM, nil, &action)
            return unsafe action.__sigaction_handler.sa_handler != nil
        }
        kill(getpid(), SIGTERM)
        let ending = await task.value
        XCTAssertEqual(ending, .signal(SIGTERM))
        XCTAssertEqual(ending.exitStatus, EXIT_SUCCESS)
        _ = try await input.levels
        let graph = await bus.graph
        XCTAssertNotNil(graph.port(input.id), "the port is still there")
        await bus.close()
    }

    func testASignalFromBeforeTheWaitIsNoted() async throws {
        let watch = SignalWatch()
        XCTAssertNil(watch.signal)
        kill(getpid(), SIGTERM)
        // Any thread may be the one that takes it.
        try await eventually("the signal") { watch.signal == SIGTERM }
        XCTAssertEqual(watch.signal, SIGTERM, "asked again")
        let bus = try await connect(try await startDaemon())
        let ending = await bus.runUntilSignal(since: watch)
        XCTAssertEqual(ending, .signal(SIGTERM))
        XCTAssertEqual(bus.state.reason?.kind, .closedByApp)
    }

    func testAnAppMaySaveBeforeItsClientIsClosed() async throws {
        let bus = try await connect(try await startDaemon())
        let input = try await bus.receiver("in", state: ()) { _, _, _ in }
        let saved = Box<(BusClient.Ending, SourceLevels?)?>(nil)
        let task = Task {
            await bus.runUntilSignal { ending in saved.value = (ending, try? await input.levels) }
        }
        await Task.yield()
        task.cancel()
        let ending = await task.value
        XCTAssertEqual(ending, .cancelled)
        XCTAssertEqual(saved.value?.0, .cancelled)
        XCTAssertEqual(saved.value?.1, SourceLevels())
        let after = try? await input.levels
        XCTAssertNil(after, "closed by now")
    }

    func testALostConnectionIsAReasonAndAStatus() async throws {
        let daemon = try await startDaemon()
        let bus = try await connect(daemon)
        let reported = Box<BusClient.Ending?>(nil)
        let task = Task { await bus.runUntilSignal { reported.value = $0 } }
        try await daemon.removeClient(named: "Ending")
        let ending = await task.value
        XCTAssertEqual(reported.value, ending)
        XCTAssertEqual(ending.exitStatus, EXIT_FAILURE)
        guard case .connectionLost(let error) = ending else { return XCTFail("not lost") }
        XCTAssertEqual(ending.description, error.message)
        let again = await bus.waitForSignal()
        XCTAssertEqual(again, ending, "asked later it is the same reason")
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
