// SPDX-License-Identifier: MIT
import ConnectionGraph
import SeededRandom
import XCTest

/// Ports of one name, and names that other processes choose to confuse.
final class UniqueNameTests: XCTestCase {
    private func found(_ name: String, as role: GraphSnapshot.Role, in graph: GraphSnapshot) -> GraphPort? {
        guard case .found(let port) = graph.port(named: name, as: role) else { return nil }
        return port
    }

    func testPortsOfOneNameAreDistinguishedByTheirSerials() throws {
        var fixture = GraphFixture()
        let player = fixture.client("Player", id: "org.example.player")
        for _ in 0..<2 { _ = fixture.node("twin", client: player, outputs: ["o"]) }
        _ = fixture.node("alone", client: player, outputs: ["o"])
        let graph = fixture.snapshot
        guard case .ambiguous(let twins) = graph.port(named: "twin", as: .source) else {
            return XCTFail("not ambiguous")
        }
        XCTAssertEqual(twins.map { graph.uniqueName(of: $0) }, twins.map { "twin:\($0.id.serial)" })
        for twin in twins {
            let serial = twin.id.serial
            for name in ["twin:\(serial)", ":\(serial)", "Player/twin:\(serial)", "org.example.player:\(serial)"] {
                XCTAssertEqual(found(name, as: .source, in: graph), twin, name)
            }
            for name in [
                "other:\(serial)", "twin:0\(serial)", "twin:+\(serial)", "twin:\(serial) ", "twin: \(serial)",
                "twin:\(serial)x", "twin:", ":", ":0", "twin:99999999999999999999999", "twin:\(serial)\u{301}",
            ] {
                XCTAssertEqual(graph.port(named: name, as: .source), .missing, name)
            }
            XCTAssertEqual(graph.port(named: "twin:\(serial)", as: .destination), .missing)
        }
        let alone = try XCTUnwrap(fixture.port("alone"))
        XCTAssertEqual(graph.uniqueName(of: alone), "alone")
    }

    /// A node that is named like another port's unique name has a different unique name itself.
    func testANameThatLooksLikeAnotherPortsIsTheOtherPorts() throws {
        var fixture = GraphFixture()
        for _ in 0..<2 { _ = fixture.node("twin", outputs: ["o"]) }
        let victim = try XCTUnwrap(fixture.snapshot.ports.first)
        _ = fixture.node("twin:\(victim.id.serial)", outputs: ["o"])
        let graph = fixture.snapshot
        let squatter = try XCTUnwrap(graph.ports.last)
        XCTAssertEqual(found(graph.uniqueName(of: victim), as: .source, in: graph), victim)
        XCTAssertEqual(graph.uniqueName(of: squatter), "twin:\(victim.id.serial):\(squatter.id.serial)")
        XCTAssertEqual(found(graph.uniqueName(of: squatter), as: .source, in: graph), squatter)
    }

    func testWhatCannotBeShownOrTypedIsNotPartOfTheName() throws {
        let cases: [(name: String, shown: String)] = [
            ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\nb", "a\u{FFFD}b"), ("a\u{202E}b", "a\u{FFFD}b"),
            ("-x", ":1010"), ("--help", ":1010"), (String(repeating: "x", count: 301), ":1010"),
        ]
        let fine = [String(repeating: "x", count: 300), "Größe 2 🎻", "alsa:pcm:1", "a/b", "a\"b", "\"", "it's", "a:FL"]
        for (name, shown) in cases + fine.map({ ($0, $0) }) {
            var fixture = GraphFixture()
            _ = fixture.node(name, outputs: ["o"])
            let graph = fixture.snapshot
            let port = try XCTUnwrap(graph.ports.first)
            XCTAssertEqual(graph.uniqueName(of: port), shown)
            XCTAssertEqual(found(graph.uniqueName(of: port), as: .source, in: graph), port, name)
        }
    }

    /// The round trip, for graphs of names that are alike on purpose.
    func testEveryUniqueNameFindsItsPortAndNoOther() {
        var numbers = SeededGenerator(seed: 8)
        let words = ["twin", "a", "a/b", "é", "e\u{301}", "", " ", ":", "1013", "#", "\u{1B}", "\u{200F}", "-", "\""]
        for round in 0..<300 {
            var fixture = GraphFixture()
            var taken: [String] = ["twin", "App.x"]
            for _ in 0..<Int.random(in: 1...10, using: &numbers) {
                let serial = Int.random(in: 1010...1060, using: &numbers)
                let name =
                    switch Int.random(in: 0..<4, using: &numbers) {
                    case 0: taken.randomElement(using: &numbers)!
                    case 1: "\(taken.randomElement(using: &numbers)!):\(serial)"
                    case 2: ":\(serial)"
                    default: words.randomElement(using: &numbers)! + words.randomElement(using: &numbers)!
                    }
                taken.append(name)
                let client = fixture.client(taken.randomElement(using: &numbers)!)
                let (inputs, outputs) = [([], ["o"]), (["i"], []), (["i"], ["o"])].randomElement(using: &numbers)!
                let isFilter = !inputs.isEmpty && !outputs.isEmpty
                _ = fixture.node(
                    name, client: client, inputs: inputs, outputs: outputs,
                    extra: [
                        "node.description": taken.randomElement(using: &numbers)!,
                        PipeBusProperty.kind: isFilter && Bool.random(using: &numbers) ? "filter" : "none",
                    ])
            }
            let graph = fixture.snapshot
            var names: Set<String> = []
            for port in graph.ports {
                let name = graph.uniqueName(of: port)
                XCTAssertEqual(name, name.printable)
                if !port.outputs.isEmpty { XCTAssertEqual(found(name, as: .source, in: graph), port, "\(round)") }
                if !port.inputs.isEmpty { XCTAssertEqual(found(name, as: .destination, in: graph), port, "\(round)") }
                if port.isPipeBus, port.kind == .filter {
                    XCTAssertEqual(graph.filter(named: name), .found(port), "\(round)")
                }
                names.insert(name)
                // Each is found by its name alone, except pairs that no command takes both of.
                if !port.inputs.isEmpty, !port.outputs.isEmpty {
                    XCTAssertEqual(graph.ports.count { graph.uniqueName(of: $0) == name }, 1, name)
                }
            }
            XCTAssertGreaterThanOrEqual(2 * names.count, graph.ports.count)
        }
    }
}
