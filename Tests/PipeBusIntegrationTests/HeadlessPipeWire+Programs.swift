// SPDX-License-Identifier: MIT
import PipeBusTesting
import XCTest

extension HeadlessPipeWire {
    /// Runs a program of PipeWire against the daemon, and expects it to succeed.
    func perform(_ program: String, _ arguments: String..., file: StaticString = #filePath, line: UInt = #line)
        async throws
    {
        let ending = try await run(program, arguments).waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(program) \(arguments)", file: file, line: line)
    }

    /// Removes an app's client from the graph, as a patchbay does to close the app.
    func removeClient(named name: String) async throws {
        let clients = try await GraphDump.take(self).objects.filter {
            $0.type == "Client" && $0.properties["application.name"] == name
        }
        for client in clients { try await perform("pw-cli", "destroy", "\(client.id)") }
    }
}
