// SPDX-License-Identifier: MIT
import ConnectionGraph
import SeededRandom
import XCTest

/// An event that does not concern a client changes nothing for it: in random graphs, everything that a client's ports
/// depend on is compared before and after each such event.
final class SurroundingsTests: XCTestCase {
    func testWhatIsElsewhereChangesNothing() {
        var elsewhere = 0
        var near = 0
        for seed in 1...100 {
            var world = World(seed: UInt64(seed))
            var surroundings = Surroundings(of: world.ownNodes, in: world.reducer)
            var before = world.viewOfOwnPorts
            for step in 0..<80 {
                let event = world.nextEvent()
                // The removal of an object is judged by its last state.
                var concerns = surroundings.concerns(event, in: world.reducer)
                world.apply(event)
                if case .removed = event {} else { concerns = surroundings.concerns(event, in: world.reducer) }
                let after = world.viewOfOwnPorts
                if concerns {
                    near += 1
                    surroundings = Surroundings(of: world.ownNodes, in: world.reducer)
                } else {
                    elsewhere += 1
                    XCTAssertEqual(after, before, "seed \(seed), step \(step): \(event)")
                    if after != before { return }
                }
                before = after
            }
        }
        // Neither is rare, or the test would show little.
        XCTAssertGreaterThan(elsewhere, 1000)
        XCTAssertGreaterThan(near, 1000)
    }
}

/// A few apps, PipeBus's and others, a device, and links that come and go between them.
private struct World {
    private(set) var reducer = GraphReducer()
    let ownNodes: [UInt32]
    private var random: SeededGenerator
    private var nodes: [UInt32] = []
    private var outputs: [UInt32] = []
    private var inputs: [UInt32] = []
    private var links: [UInt32] = []
    private var nextID: UInt32 = 1

    init(seed: UInt64) {
        var fixture = GraphFixture()
        random = SeededGenerator(seed: seed)
        var own: [UInt32] = []
        for app in 0..<4 {
            let client = fixture.client(
                "App \(app)", id: "org.example.app\(app % 3)", extra: ["pipewire.sec.pid": "\(app)"])
            for (order, kind) in [PortKind.sender, .filter, .receiver].enumerated() {
                let name = "\(app)-\(kind.rawValue)"
                let node = fixture.node(
                    name, client: client, inputs: kind == .sender ? [] : ["i1", "i2"],
                    outputs: kind == .receiver ? [] : ["o"],
                    extra: [
                        PipeBusProperty.kind: kind.rawValue, PipeBusProperty.name: name,
                        PipeBusProperty.order: "\(order)", PipeBusProperty.laneWidth: "1",
                        PipeBusProperty.follows: kind == .sender ? "\(app)-receiver" : "",
                        PipeBusProperty.monitors: app == 1 ? "true" : "false",
                    ])
                if app == 0 { own.append(node) }
                nodes.append(node)
            }
        }
        let foreign = fixture.client("Foreign")
        nodes.append(fixture.node("effect", client: foreign, inputs: ["i"], outputs: ["o"]))
        nodes.append(fixture.node("loop in", client: foreign, inputs: ["i"], extra: ["node.link-group": "loop"]))
        nodes.append(fixture.node("loop out", client: foreign, outputs: ["o"], extra: ["node.link-group": "loop"]))
        nodes.append(fixture.node("player", client: foreign, outputs: ["o"]))
        nodes.append(
            fixture.node("sink", inputs: ["playback"], outputs: ["monitor"], extra: ["media.class": "Audio/Sink"]))
        ownNodes = own
        reducer = fixture.reducer
        for node in nodes {
            inputs += reducer.channels(ofNode: node, isInput: true).map(\.id)
            outputs += reducer.channels(ofNode: node, isInput: false).map(\.id)
        }
        nextID = 1000
    }

    mutating func apply(_ event: GraphEvent) {
        reducer.apply(event)
        if case .added(let id, .link, _) = event { links.append(id) }
        if case .removed(let id) = event { links.removeAll { $0 == id } }
    }

    mutating func nextEvent() -> GraphEvent {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            nextID += 1
            let output = outputs.randomElement(using: &random) ?? 0
            let input = inputs.randomElement(using: &random) ?? 0
            return .added(
                id: nextID, kind: .link,
                properties: [
                    "object.serial": "\(nextID + 5000)", "link.output.port": "\(output)", "link.input.port": "\(input)",
                ])
        case 5..<8:
            return .removed(id: links.randomElement(using: &random) ?? 0)
        default:
            let node = nodes.randomElement(using: &random) ?? 0
            return .properties(
                id: node,
                Bool.random(using: &random)
                    ? ["node.description": "Title \(nextID)"]
                    : [PipeBusProperty.isLive: Bool.random(using: &random) ? "true" : "false"])
        }
    }

    /// All values that a client computes for its ports.
    var viewOfOwnPorts: [View] {
        let graph = reducer.snapshot
        let returns = graph.forbiddenReturns()
        let audible = graph.withoutSilenced(by: returns)
        return ownNodes.compactMap { node in
            guard let serial = reducer.serial(ofNode: node) else { return nil }
            let id = GraphPort.ID(serial: serial)
            let incoming = graph.connections.filter { $0.destination == id }
            return View(
                connections: graph.connections.filter { $0.source == id } + incoming,
                sources: graph.sourcesRecursive(of: id), destinations: graph.destinationsRecursive(of: id),
                titles: [graph.sourcesTitle(of: id), graph.destinationsTitle(of: id)],
                isPlayed: audible.reachesListener(id), isConnectedToSelf: graph.isConnectedToSelf(id),
                isFromLiveSource: graph.isFromLiveSource(id), returns: returns.filter { $0.destination == id },
                possibleReturns: incoming.map { graph.isForbiddenReturn($0.source, to: id) },
                sourcesFromSelf: incoming.map { graph.isReturn($0.source, to: id) })
        }
    }

    struct View: Equatable {
        var connections: [Connection]
        var sources: [GraphPort]
        var destinations: [GraphPort]
        var titles: [String]
        var isPlayed: Certainty
        var isConnectedToSelf: Certainty
        var isFromLiveSource: Bool
        var returns: [Connection]
        var possibleReturns: [Certainty]
        var sourcesFromSelf: [Certainty]
    }
}
