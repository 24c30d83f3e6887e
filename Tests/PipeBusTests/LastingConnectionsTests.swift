// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

@testable import PipeBus

final class LastingConnectionsTests: XCTestCase {
    private func connection(_ source: String, id: String? = nil, to port: String = "in") -> ConnectionDeclaration {
        ConnectionDeclaration(source: .other(applicationID: id, nodeName: source), destination: .own(port))
    }

    func testTheNamesCount() {
        let connections = LastingConnections()
        connections.add(connection("Tone.out"))
        XCTAssertTrue(connections.contains(connection("Tone.out", id: "org.example.tone")))
        XCTAssertFalse(connections.contains(connection("Tone.out", to: "desk")))
        XCTAssertFalse(connections.contains(connection("Tone.out-2")))
        XCTAssertFalse(
            connections.contains(
                ConnectionDeclaration(source: .own("in"), destination: .other(applicationID: nil, nodeName: "Tone.out"))
            ))
    }

    func testTheyEnd() {
        let connections = LastingConnections()
        for port in ["in", "desk"] { connections.add(connection("Tone.out", to: port)) }
        connections.add(connection("Amp.out"))
        connections.add(connection("Amp.out", id: "org.example.amp"), wasRemoved: true)
        XCTAssertFalse(connections.contains(connection("Amp.out")))
        XCTAssertTrue(connections.contains(connection("Amp.out"), isByOtherEnd: true))
        connections.removeAll(of: "in")
        XCTAssertFalse(connections.contains(connection("Tone.out")))
        XCTAssertTrue(connections.contains(connection("Tone.out", to: "desk")))
    }

    func testTheOldestIsForgotten() {
        let connections = LastingConnections()
        for number in 0..<LastingConnections.limit { connections.add(connection("App \(number)")) }
        connections.add(connection("App 0"))
        connections.add(connection("One more"))
        XCTAssertTrue(connections.contains(connection("App 0")))
        XCTAssertFalse(connections.contains(connection("App 1")))
        XCTAssertTrue(connections.contains(connection("App 2")))
    }
}
