// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

/// All ports that one name stands for.
final class NamedPortsTests: XCTestCase {
    private var fixture: GraphFixture {
        var fixture = GraphFixture()
        let mixer = fixture.client("Mixer", id: "org.example.mixer")
        _ = fixture.node("Mixer.in", client: mixer, inputs: ["i"])
        _ = fixture.node("Mixer.mix", client: mixer, outputs: ["o"])
        for (name, id) in [("Pad", "org.example.pad"), ("Piano", "org.example.piano")] {
            let client = fixture.client(name, id: id)
            _ = fixture.node("\(name).out", client: client, outputs: ["o"])
        }
        return fixture
    }

    private func names(_ found: GraphSnapshot.NamedPorts) -> [String]? {
        if case .found(let ports) = found { ports.map(\.nodeName) } else { nil }
    }

    func testAnAppStandsForAllOfItsPorts() {
        let graph = fixture.snapshot
        for (name, ports) in [
            ("Mixer", ["Mixer.in", "Mixer.mix"]), ("org.example.mixer", ["Mixer.in", "Mixer.mix"]),
            ("mixer", ["Mixer.in", "Mixer.mix"]), ("mi", ["Mixer.in", "Mixer.mix"]), ("Mixer.in", ["Mixer.in"]),
            ("MIXER.MIX", ["Mixer.mix"]), ("mixer.m", ["Mixer.mix"]), ("Pad", ["Pad.out"]), ("pa", ["Pad.out"]),
        ] { XCTAssertEqual(names(graph.ports(typed: name)), ports, name) }
        for name in ["", " ", "Nobody", "Mixerx"] { XCTAssertEqual(graph.ports(typed: name), .missing, name) }
    }

    func testOfSeveralTheOnlyConnectedOneIsMeant() throws {
        let fixture = fixture
        guard case .ambiguous(let ports) = fixture.snapshot.ports(typed: "P") else { return XCTFail("not ambiguous") }
        XCTAssertEqual(ports.map(\.nodeName), ["Pad.out", "Piano.out"])
        let (pad, mixer) = (try XCTUnwrap(fixture.port("Pad.out")), try XCTUnwrap(fixture.port("Mixer.in")))
        let graph = fixture.snapshot.connecting([(source: pad.id, destination: mixer.id)])
        XCTAssertEqual(names(graph.ports(typed: "P")), ["Pad.out"])
        let piano = try XCTUnwrap(fixture.port("Piano.out"))
        let both = graph.connecting([(source: piano.id, destination: mixer.id)])
        guard case .ambiguous = both.ports(typed: "P") else { return XCTFail("not ambiguous") }
    }

    func testAUniqueNameIsOnePort() throws {
        var fixture = GraphFixture()
        for _ in 0..<2 { _ = fixture.node("twin", outputs: ["o"]) }
        let graph = fixture.snapshot
        for port in graph.ports { XCTAssertEqual(graph.ports(typed: graph.uniqueName(of: port)), .found([port])) }
        guard case .ambiguous = graph.ports(typed: "twin") else { return XCTFail("not ambiguous") }
    }
}
