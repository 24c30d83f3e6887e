// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of the commands for routings.
class RoutingCommandTestCase: ToolTestCase {
    func run(
        _ arguments: [String], at daemon: HeadlessPipeWire, status: Int32 = 0, file: StaticString = #filePath,
        line: UInt = #line
    ) async throws -> ChildProcess {
        let process = try start("pipebus", arguments, at: daemon.environment())
        let ending = try await process.waitForEnd(within: .seconds(30))
        XCTAssertEqual(
            ending, .exited(status), "\(process.output.text)\n\(process.errors.text)", file: file, line: line)
        return process
    }

    /// Two senders and a receiver of one client.
    func scene(_ daemon: HeadlessPipeWire) async throws -> (
        bus: BusClient, sender: SenderPort, other: SenderPort, receiver: ReceiverPort
    ) {
        let bus = try await connectClient(to: daemon.remote, as: "App")
        let sender = try await bus.sender("one", channels: .stereo, state: ()) { _, _, _ in }
        let other = try await bus.sender("two", channels: .stereo, state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", channels: .stereo, lanes: 4, state: ()) { _, _, _ in }
        return (bus, sender, other, receiver)
    }

    func routing(_ connections: [[String: Any]], bypasses: [[String: Any]] = []) throws -> String {
        let object: [String: Any] = [
            "format": "pipebus-routing", "version": 1, "connections": connections, "bypasses": bypasses,
        ]
        let path = "\(folder)/\(connections.count)-\(bypasses.count)-\(Int.random(in: 0..<1_000_000)).json"
        try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
        return path
    }

    func end(_ node: String, app: String = "org.pipebus.test") -> [String: Any] { ["app": app, "node": node] }
}
