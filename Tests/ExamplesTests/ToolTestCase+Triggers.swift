// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The trigger of a recorder, as a patchbay has it.
extension ToolTestCase {
    func peer(_ name: String, seenBy bus: BusClient) async throws -> PipeBus.Peer.ID {
        try await eventually("\(name) in the graph") { await bus.graph.peers.contains { $0.name == name } }
        let peers = await bus.graph.peers
        return try XCTUnwrap(peers.first { $0.name == name }?.id)
    }

    func trigger(of name: String = "Recorder", seenBy bus: BusClient) async throws -> Trigger {
        let triggers = try await bus.triggers(of: peer(name, seenBy: bus))
        XCTAssertEqual(triggers.map(\.id), ["record"])
        return try XCTUnwrap(triggers.first)
    }

    func waitForTrigger(
        _ state: TriggerState, of tool: ChildProcess, named name: String = "Recorder", seenBy bus: BusClient
    ) async throws {
        let peer = try await peer(name, seenBy: bus)
        try await eventually("the trigger to be \(state)") {
            if tool.ending != nil { throw tool.failure("ended before its trigger was \(state)") }
            return try await bus.triggers(of: peer).map(\.state) == [state]
        }
    }

    /// Presses the trigger of an armed recorder, and waits until the next cycle with a source is recorded.
    func beginRecording(_ tool: ChildProcess, by bus: BusClient) async throws {
        try await press(by: bus)
        try await waitUntilItWaits(tool, seenBy: bus)
    }

    func waitUntilItWaits(_ tool: ChildProcess, seenBy bus: BusClient) async throws {
        let peer = try await peer("Recorder", seenBy: bus)
        try await eventually("the recorder to wait for sound") {
            if tool.ending != nil { throw tool.failure("ended before it waited for sound") }
            return try await bus.triggers(of: peer).map(\.face.title) == ["Waiting for sound"]
        }
    }

    func press(_ name: String = "Recorder", by bus: BusClient) async throws {
        try await bus.press("record", of: peer(name, seenBy: bus))
    }
}
