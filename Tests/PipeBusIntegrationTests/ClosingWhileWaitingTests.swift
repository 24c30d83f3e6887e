// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A wait ends when the client is closed: no time limit passes once its loop has stopped.
final class ClosingWhileWaitingTests: DaemonTestCase {
    private func connect(_ daemon: HeadlessPipeWire) async throws -> BusClient {
        try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
    }

    /// Closes a client once it does what is said, and expects the work to fail soon.
    private func close(
        _ bus: BusClient, once what: String, _ isAtIt: () async -> Bool,
        during work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let isDone = Flag()
        let task = Task {
            defer { isDone.raise() }
            try await work()
        }
        // Or it was quicker.
        try await eventually(what) { await isAtIt() || isDone.isRaised }
        await bus.close()
        try await eventually("it to be given up") { isDone.isRaised }
        if case .failure(let error) = await task.result {
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
    }

    func testNoAnswerOfAnotherAppIsWaitedForAnyMore() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let peer = try await Peer.start("Other", on: daemon)
        try await peer.addReceiver("in")
        let effects = try await Peer.start("Effects", on: daemon)
        try await effects.addFilter("fx")
        try await effects.join("Effects.fx", to: "Other.in")
        let asks: [@Sendable (BusClient) async throws -> Void] = [
            { try await $0.setBypassed(true, of: "Effects.fx") },
            { _ = try await $0.levels(at: "Other.in") },
            { try await $0.setLevel(.volume(0.5), of: "Effects.fx", at: "Other.in") },
        ]
        for isStopped in [true, false] {
            for ask in asks {
                // With one that runs, at some moment or other.
                for hops in 0..<(isStopped ? 1 : 20) {
                    let bus = try await connect(daemon)
                    try await eventually("the ports") { await bus.graph.connections.count == 1 }
                    if isStopped {
                        for process in [peer.process, effects.process] {
                            process.signal(SIGSTOP)
                            try await eventuallyStopped(process.pid)
                        }
                    }
                    var left = isStopped ? 0 : hops * 4
                    try await close(bus, once: "it to be asked") {
                        while left > 0 {
                            left -= 1
                            _ = await bus.hasPeerRequests
                        }
                        return isStopped ? await bus.hasPeerRequests : true
                    } during: {
                        try await ask(bus)
                    }
                    if isStopped { for process in [peer.process, effects.process] { process.signal(SIGCONT) } }
                }
            }
        }
        try await peer.close()
        try await effects.close()
    }

    func testNoFadeIsWaitedForAnyMore() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("out") { _, _ in 1 }
        let receiver = try await Hearing().mixed(on: stage.taker, alignment: .immediate, fade: .standard)
        try await stage.taker.connect(source, to: receiver)
        try await stage.showToGivers(source, receiver)
        try await stage.graph.settle()
        try await stage.step(1024, cycles: 4)
        // The graph stands still, and so does the fade.
        let taker = stage.taker
        try await close(taker, once: "the fade", { await taker.isSleeping }) {
            try await taker.disconnect(source, from: receiver)
        }
        try await stage.close()
    }
}
