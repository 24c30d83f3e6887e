// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// What to do where no sound passes.
final class ChangeAdviceTests: XCTestCase {
    private var fixture: DiagramFixture {
        var fixture = DiagramFixture()
        fixture.add("Pad.out", of: "Pad", .sender, outputs: 1)
        fixture.add("Room echo.fx", of: "Room echo", .filter, inputs: 1, outputs: 1)
        fixture.add("Tape.in", of: "Tape", .receiver, inputs: 4, width: 1)
        return fixture
    }

    private func advice(_ connections: [(String, String)]) throws -> String? {
        var fixture = fixture
        for (source, destination) in connections { fixture.connect(source, destination) }
        let graph = fixture.snapshot
        return ChangeAdvice.againstRemoving(try XCTUnwrap(graph.port(fixture.id("Room echo.fx"))), in: graph)
    }

    func testRemovingSaysWhatIsMissingAndWhatToType() throws {
        let (echo, pad, tape) = ("Room echo.fx", "Pad.out", "Tape.in")
        for (connections, words) in [
            ([], ["is not connected", "pipebus connect SOURCE 'Room echo.fx' DESTINATION"]),
            ([(pad, echo)], ["goes nowhere", "pipebus disconnect 'Room echo.fx'", "'Room echo.fx' DESTINATION"]),
            ([(echo, tape)], ["Nothing feeds", "pipebus disconnect 'Room echo.fx'", "connect SOURCE 'Room echo.fx'"]),
        ] as [([(String, String)], [String])] {
            let sentence = try XCTUnwrap(try advice(connections))
            for word in words { XCTAssertTrue(sentence.contains(word), sentence) }
        }
        XCTAssertNil(try advice([(pad, echo), (echo, tape)]))
    }

    func testInsertingNamesTheWholePath() throws {
        var fixture = fixture
        func reason() throws -> String? {
            let graph = fixture.snapshot
            let ports = try ["Room echo.fx", "Pad.out", "Tape.in"].map { try XCTUnwrap(graph.port(fixture.id($0))) }
            return ChangeAdvice.againstInserting(ports[0], from: ports[1], to: ports[2], in: graph)
        }
        XCTAssertEqual(
            try reason(),
            "Pad.out is not connected to Tape.in; \"pipebus connect Pad.out 'Room echo.fx' Tape.in\" connects all three."
        )
        fixture.connect("Pad.out", "Tape.in")
        XCTAssertNil(try reason())
    }

    func testAPathEndsAtAReceiver() throws {
        var fixture = fixture
        fixture.add("Main mixer.in", of: "Main mixer", .receiver, inputs: 4, width: 1)
        fixture.add("Main mixer.mix", of: "Main mixer", .sender, outputs: 1)
        let graph = fixture.snapshot
        func advice(_ path: String..., isTyped: Bool = true) -> String? {
            ChangeAdvice.againstConnecting(path, isTyped: isTyped, in: graph)
        }
        let sentence =
            "Main mixer.in is a receiver, so a path ends there: these are two paths, "
            + "\"pipebus connect Pad 'Room echo' 'Main mixer.in'\" and \"pipebus connect 'Main mixer.mix' Tape\"."
        XCTAssertEqual(advice("Pad", "Room echo", "main", "Tape"), sentence)
        XCTAssertEqual(advice("Pad", "Room echo", "Main mixer", "Tape", isTyped: false), sentence)
        XCTAssertEqual(advice("Pad", "Room echo", "Main mixer.in", "Tape"), sentence)
        XCTAssertNil(advice("Pad", "Room echo", "main", "Tape", isTyped: false), "one of that name may come")
        XCTAssertEqual(
            advice("Pad", "Tape", "Room echo"),
            "Tape.in is a receiver, so a path ends there, and its app sends nothing; "
                + "\"pipebus connect Pad Tape.in\" connects up to it.")
        for path in [["Pad", "Room echo", "Tape"], ["Pad", "Nobody", "Tape"], ["Pad", "Tape"]] {
            XCTAssertNil(ChangeAdvice.againstConnecting(path, isTyped: true, in: graph))
        }
    }
}
