// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// An app is known by its id, and by the name that people see.
final class RoutingAppNameTests: XCTestCase {
    func testAnAppIsMeantByItsIdAndByItsName() throws {
        var fixture = GraphFixture()
        for (app, node, direction) in [("Flute", "Flute.out", "out"), ("Mixer", "Mixer.in", "in")] {
            let client = fixture.client(app, id: "org.example.\(app.lowercased())")
            _ = fixture.node(
                node, client: client, inputs: direction == "in" ? ["a"] : [], outputs: direction == "out" ? ["a"] : [],
                extra: [:])
        }
        let graph = fixture.snapshot
        for (source, destination, fits) in [
            (("Flute", nil), ("Mixer", nil), true), (("org.example.flute", nil), ("org.example.mixer", nil), true),
            (("Flute", "Flute.out"), ("org.example.mixer", "Mixer.in"), true),
            (("Fl*", nil), ("*mixer", "Mixer*"), true),
            (("flute", nil), ("Mixer", nil), false), (("org.example", nil), ("Mixer", nil), false),
            (("Flute", "Mixer.in"), ("Mixer", "Mixer.in"), false),
        ] as [((String, String?), (String, String?), Bool)] {
            let preset = try RoutingPreset(
                connections: [
                    RoutingConnection(
                        from: try PortMatcher(app: source.0, node: source.1),
                        to: try PortMatcher(app: destination.0, node: destination.1))
                ], bypasses: [])
            var plan = RoutingPlan(preset)
            let actions = plan.update(to: graph, at: .now)
            XCTAssertEqual(actions.count, fits ? 1 : 0, "\(source) > \(destination)")
            let flute = try XCTUnwrap(fixture.port("Flute.out"))
            XCTAssertEqual(
                preset.connections[0].source.fits(flute, in: graph),
                source.0 != "flute" && source.0 != "org.example" && source.1 != "Mixer.in")
        }
    }
}
