// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// The names that are offered at each place of a command line.
final class PortCompletionTests: XCTestCase {
    /// A lead that goes to a filter and to a desk, and a filter that feeds the desk too.
    private let graph: GraphSnapshot = {
        var fixture = DiagramFixture()
        fixture.add("Lead.out", of: "Lead", .sender, outputs: 1)
        fixture.add("Fx.fx", of: "Fx", .filter, inputs: 1, outputs: 1)
        fixture.add("Desk.in", of: "Desk", .receiver, inputs: 4, width: 1)
        fixture.add("Idle.out", of: "Idle", .sender, outputs: 1)
        fixture.connect("Lead.out", "Fx.fx")
        fixture.connect("Lead.out", "Desk.in", lane: 0)
        fixture.connect("Fx.fx", "Desk.in", lane: 1)
        return fixture.snapshot
    }()

    private func names(_ line: String) -> [String] {
        let request = CompletionRequest(TypedCommandLine(line), commands: PipeBusCommand.commands)
        return PortCompletion(graph).names(for: request)
    }

    func testAFilterIsNotInsertedBesideItself() {
        XCTAssertEqual(names("pipebus insert "), ["Fx"])
        XCTAssertEqual(names("pipebus insert Fx "), ["Lead"])
        XCTAssertEqual(names("pipebus insert Fx Lead "), ["Desk"])
        XCTAssertEqual(names("pipebus insert fx lead D"), ["Desk"])
        // Elsewhere it is a port as any other.
        XCTAssertEqual(names("pipebus disconnect Lead "), ["Desk", "Fx"])
    }

    func testWhatIsConnectedCanBeDisconnected() {
        XCTAssertEqual(names("pipebus disconnect "), ["Desk", "Fx", "Lead"])
        XCTAssertEqual(names("pipebus ls "), ["Desk", "Fx", "Idle", "Lead"])
    }
}
