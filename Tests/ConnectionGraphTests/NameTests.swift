// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class NameTests: XCTestCase {
    private var graph = GraphFixture()

    override func setUp() {
        let app = graph.client("App", id: "org.example.app")
        _ = graph.pipeBusPort(.filter, "effect", client: app, order: 0, inputs: ["i"], outputs: ["o"])
        _ = graph.pipeBusPort(.sender, "out", client: app, order: 1, outputs: ["o"])
        _ = graph.pipeBusPort(.sender, "second", client: app, order: 2, outputs: ["o"])
        _ = graph.pipeBusPort(.receiver, "in", client: app, order: 3, inputs: ["i"])
        _ = graph.node("card", inputs: ["i"], outputs: ["o"], extra: ["node.description": "Sound card"])
    }

    private func found(_ name: String, as role: GraphSnapshot.Role) -> String? {
        guard case .found(let port) = graph.snapshot.port(named: name, as: role) else { return nil }
        return port.nodeName
    }

    func testANodeNameIsExact() {
        XCTAssertEqual(found("App.second", as: .source), "App.second")
    }

    func testAnAppStandsForItsFirstPortOfTheKind() {
        XCTAssertEqual(found("App", as: .source), "App.out")
        XCTAssertEqual(found("App", as: .destination), "App.in")
        XCTAssertEqual(found("org.example.app", as: .source), "App.out")
    }

    func testAPathNamesAppAndPort() {
        XCTAssertEqual(found("App/second", as: .source), "App.second")
        XCTAssertEqual(found("org.example.app/effect", as: .destination), "App.effect")
    }

    func testATitleNamesAPort() {
        XCTAssertEqual(found("Sound card", as: .destination), "card")
    }

    func testAPortThatCannotPlayTheRoleIsNotFound() {
        XCTAssertEqual(graph.snapshot.port(named: "App.in", as: .source), .missing)
        XCTAssertEqual(graph.snapshot.port(named: "nobody", as: .source), .missing)
        XCTAssertEqual(graph.snapshot.port(named: "", as: .source), .missing)
        XCTAssertEqual(graph.snapshot.port(named: "/", as: .source), .missing)
    }

    func testAFilterIsFoundWhateverElseItsAppHas() {
        for name in ["App", "org.example.app", "App.effect", "App/effect", "org.example.app/effect"] {
            guard case .found(let port) = graph.snapshot.filter(named: name) else { return XCTFail("no \(name)") }
            XCTAssertEqual(port.nodeName, "App.effect")
        }
        // Names of no filter, and of one that was not made with PipeBus: `card` has inputs and outputs.
        for name in ["App.in", "App.out", "App/out", "card", "Sound card", "nobody", "", "/"] {
            XCTAssertEqual(graph.snapshot.filter(named: name), .missing, name)
        }
        let second = graph.client("App", id: "org.example.app")
        _ = graph.pipeBusPort(.sender, "other", client: second, order: 0, outputs: ["o"])
        guard case .found = graph.snapshot.filter(named: "App") else { return XCTFail("one of them has one") }
        _ = graph.pipeBusPort(.filter, "more", client: second, order: 1, inputs: ["i"], outputs: ["o"])
        guard case .ambiguous(let ports) = graph.snapshot.filter(named: "App") else {
            return XCTFail("not ambiguous")
        }
        XCTAssertEqual(ports.map(\.nodeName), ["App.effect", "App.more"])
    }

    func testTwoAppsOfOneNameAreAmbiguous() {
        let second = graph.client("App", id: "org.example.app")
        _ = graph.node("App.out-2", client: second, outputs: ["o"])
        guard case .ambiguous(let ports) = graph.snapshot.port(named: "App", as: .source) else {
            return XCTFail("not ambiguous")
        }
        XCTAssertEqual(ports.map(\.nodeName), ["App.out", "App.out-2"])
        XCTAssertEqual(found("App.out-2", as: .source), "App.out-2")
    }
}
