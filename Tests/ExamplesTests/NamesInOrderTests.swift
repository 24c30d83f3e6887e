// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// "Voice 2" comes before "Voice 10", wherever a person sees names.
final class NamesInOrderTests: XCTestCase {
    private let voices = ["Voice 1", "Voice 2", "Voice 10", "Voice 20"]

    /// Voices that came in no order, each connected to a receiver and to a port that was not made with PipeBus.
    private var fixture: DiagramFixture {
        var fixture = DiagramFixture()
        for voice in ["Voice 10", "Voice 2", "Voice 20", "Voice 1"] {
            fixture.add("\(voice).out", of: voice, .sender, outputs: 1)
        }
        fixture.add("Desk.in", of: "Desk", .receiver, inputs: 8, width: 1)
        fixture.add("sum", of: "Rack", inputs: 1)
        for (lane, voice) in voices.reversed().enumerated() {
            fixture.connect("\(voice).out", "Desk.in", lane: lane)
            fixture.connect("\(voice).out", "sum")
        }
        return fixture
    }

    func testTheGraph() throws {
        let diagram = fixture.diagram()
        XCTAssertEqual(diagram.apps.map(\.name), ["Desk", "Rack"] + voices)
        let destinations = ["Desk.in", "sum"]
        XCTAssertEqual(
            diagram.pipelines.map { $0.ports.map(\.uniqueName) },
            voices.flatMap { voice in destinations.map { ["\(voice).out", $0] } })
        let sum = try XCTUnwrap(diagram.ports.first { $0.uniqueName == "sum" })
        XCTAssertEqual(sum.feeds.map(\.title), voices.map { "\($0).out" })
        // Where there are lanes, those count.
        let desk = try XCTUnwrap(diagram.ports.first { $0.uniqueName == "Desk.in" })
        XCTAssertEqual(desk.feeds.map(\.title), voices.reversed().map { "\($0).out" })
    }

    func testTheList() {
        let listing = GraphListing(fixture.snapshot, levels: [:])
        XCTAssertEqual(listing.apps.map(\.name), ["Desk", "Rack"] + voices)
        XCTAssertEqual(listing.apps[2].ports[0].destinations, ["Desk.in", "sum"])
        XCTAssertEqual(listing.apps[2].ports[0].connections.map(\.destination), ["Desk.in", "sum"])
    }

    func testTheLiveView() {
        let rows = WatchRows(WatchFixture(fixture).data).rows(of: .pipelines).map { $0.name.text(hasColour: false) }
        XCTAssertEqual(rows, voices.flatMap { ["\($0) → Desk", "\($0) → Rack"] })
    }

    /// An app that has started again comes after another of its name, which has the suffix.
    func testANameComesBeforeTheSameWithASuffix() throws {
        var fixture = DiagramFixture()
        fixture.add("Desk.in", of: "Desk", .receiver, inputs: 8, width: 1)
        for (lane, suffix) in ["-10", "-2", ""].enumerated() {
            fixture.add("Warm Pad.out\(suffix)", ofAnother: "Warm Pad", .sender, title: "Warm Pad out", outputs: 1)
            fixture.add("Card\(suffix)", of: nil, title: "Card", inputs: 1, extra: ["media.class": "Audio/Sink"])
            fixture.connect("Warm Pad.out\(suffix)", "Desk.in", lane: lane)
        }
        let pads = ["Warm Pad.out", "Warm Pad.out-2", "Warm Pad.out-10"]
        let diagram = fixture.diagram()
        XCTAssertEqual(
            diagram.apps.flatMap(\.ports).map(\.uniqueName), ["Desk.in"] + pads + ["Card", "Card-2", "Card-10"])
        XCTAssertEqual(diagram.pipelines.map { $0.ports[0].uniqueName }, pads)
        let listing = GraphListing(fixture.snapshot, levels: [:])
        XCTAssertEqual(listing.apps.flatMap(\.ports).map(\.uniqueName).prefix(4), ["Desk.in"] + pads)
        let data = WatchFixture(fixture).data
        XCTAssertEqual(
            WatchRows(data).rows(of: .pipelines).map { $0.name.text(hasColour: false) }, pads.map { "\($0) → Desk" })
        let nodes = ["Warm Pad.out-2", "Warm Pad.out"].map { node("Warm Pad out", name: $0) }
        XCTAssertEqual(TopTable.sorted(nodes).map(\.name), ["Warm Pad.out", "Warm Pad.out-2"])
    }

    private func node(
        _ title: String, name: String? = nil, driver: String? = nil, isDriver: Bool = false
    ) -> TopTable.Node {
        TopTable.Node(
            name: name, title: title, isPipeBus: true, state: "running", isDriver: isDriver, driver: driver, xruns: 0,
            isCulprit: false)
    }

    func testTheTableOfLoads() {
        let nodes = [
            node("Card 10", driver: "Card 10", isDriver: true), node("Voice 10", driver: "Card 10"),
            node("Voice 2", driver: "Card 10"), node("Card 2", driver: "Card 2", isDriver: true),
            node("Voice 3", driver: "Card 2"), node("Idle 10"), node("Idle 9"),
        ]
        XCTAssertEqual(
            TopTable.sorted(nodes).map(\.title),
            ["Card 2", "Voice 3", "Card 10", "Voice 2", "Voice 10", "Idle 9", "Idle 10"])
    }

    func testCompletion() {
        let request = CompletionRequest(TypedCommandLine("pipebus connect V"), commands: PipeBusCommand.commands)
        XCTAssertEqual(PortCompletion(fixture.snapshot).names(for: request), voices)
    }
}
