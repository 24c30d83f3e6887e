// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// Links that cannot be made, and what is left behind: nothing.
final class LinkErrorTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire, recorder: CallRecorder? = nil) async throws -> BusClient {
        try await BusClient.connect(
            as: "org.example.links", name: "Links", remote: daemon.remote, allowsConnectionsToSelf: true,
            recorder: recorder)
    }

    private func error(_ code: PipeBusError.Code, _ work: () async throws -> Void) async {
        do {
            try await work()
            XCTFail("no error, instead of \(code.rawValue)")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, code, error.message)
            XCTAssertFalse(error.message.isEmpty)
        } catch {
            XCTFail("\(error)")
        }
    }

    func testTheSameConnectionTwiceIsRefused() async throws {
        let bus = try await client(try await startDaemon())
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        try await bus.connect(sender, to: receiver)
        await error(.alreadyConnected) { try await bus.connect(sender, to: receiver) }
        let graph = await bus.graph
        XCTAssertEqual(graph.connections.first?.links.count, 2)
        await bus.close()
    }

    func testTheSameConnectionFromTwoTasksIsMadeOnce() async throws {
        let bus = try await client(try await startDaemon())
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask { (try? await bus.connect(sender, to: receiver)) != nil }
            }
            return await group.reduce(into: 0) { count, succeeded in count += succeeded ? 1 : 0 }
        }
        XCTAssertEqual(successes, 1)
        let graph = await bus.graph
        XCTAssertEqual(graph.connections.first?.links.count, 2)
        await bus.close()
    }

    func testWhatDoesNotFitIsRefused() async throws {
        let bus = try await client(try await startDaemon())
        let stereo = try await bus.sender("stereo", state: ()) { _, _, _ in }
        let mono = try await bus.receiver("mono", channels: .mono, state: ()) { _, _, _ in }
        let eight = try await bus.receiver("eight", channels: .channels(8), state: ()) { _, _, _ in }
        await error(.channelMismatch) { try await bus.connect(stereo, to: mono) }
        await error(.channelMismatch) { try await bus.connect(stereo, to: eight) }
        let graph = await bus.graph
        XCTAssertEqual(graph.connections, [])
        await bus.close()
    }

    func testWhenAllLanesAreTakenTheErrorSaysHowManyThereAre() async throws {
        let bus = try await client(try await startDaemon())
        let receiver = try await bus.receiver("in", lanes: 2, state: ()) { _, _, _ in }
        for index in 0..<2 {
            try await bus.connect(try await bus.sender("s\(index)", state: ()) { _, _, _ in }, to: receiver)
        }
        let third = try await bus.sender("third", state: ()) { _, _, _ in }
        do {
            try await bus.connect(third, to: receiver)
            XCTFail("three sources on two lanes")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .noFreeLane)
            XCTAssertTrue(error.message.contains("2 lanes"), error.message)
        }
        await bus.close()
    }

    /// The second of the two links fails; the first one, already active, must go again.
    func testAConnectionIsAllOrNothing() async throws {
        for (errno, code) in [(EEXIST, PipeBusError.Code.pipeWire), (ENOMEM, .pipeWire)] {
            let recorder = CallRecorder()
            let bus = try await client(try await startDaemon(), recorder: recorder)
            let sender = try await bus.sender("out", state: ()) { _, _, _ in }
            let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
            recorder.force(errno, for: "pw_core_create_object", after: 1)
            await error(code) { try await bus.connect(sender, to: receiver) }
            let graph = await bus.graph
            XCTAssertEqual(graph.connections, [])
            // And the lane is free again.
            try await bus.connect(sender, to: receiver)
            await bus.close()
        }
    }

    func testAnAppIsNotConnectedToItselfUnlessItAllowsThat() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.example.self", name: "Self", remote: daemon.remote)
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        await error(.selfConnection) { try await bus.connect(sender, to: receiver) }
        await bus.close()
    }

    func testPipeWiresOwnRefusalsAreReported() async throws {
        let daemon = try await startDaemon()
        let loop = try PipeWireLoop()
        let linker = Linker(loop)
        let errors = try await linker.tryLinks(remote: daemon.remote)
        XCTAssertEqual(errors.count, 1)
        guard case .badPort = errors.first else { return XCTFail("\(errors)") }
        loop.stop()
    }
}

/// Asks for links beneath the library's own checks.
private actor Linker {
    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(_ loop: PipeWireLoop) { self.loop = loop }

    /// Between ports that do not exist.
    func tryLinks(remote: String) async throws -> [PipeWireError] {
        let connection = try PipeWireConnection(loop: loop, properties: [], remote: remote)
        defer { connection.close() }
        try await connection.open(timeout: .seconds(5))
        let link = try Link(on: connection, output: 100_000, input: 100_001, lingers: false)
        defer { link.close() }
        let failure = Waiter<PipeWireError>()
        link.onFailure = { failure.resume(returning: $0) }
        return [try await failure.value(within: .seconds(5), on: loop, waitingFor: "the refusal")]
    }
}
