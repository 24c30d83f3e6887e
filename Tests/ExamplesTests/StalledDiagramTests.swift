// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// A source that hangs has no links: its receiver has disconnected it until it answers.
final class StalledDiagramTests: XCTestCase {
    /// A sender that a filter has disconnected, and one that the mixer hears.
    private let fixture: DiagramFixture = {
        var fixture = DiagramFixture()
        fixture.add("Hung.out", of: "Hung", .sender, outputs: 1)
        fixture.add("Pad.out", of: "Pad", .sender, outputs: 1)
        let serial = fixture.id("Hung.out").serial
        fixture.add("Echo.echo", of: "Echo", .filter, inputs: 1, outputs: 1, extra: ["pipebus.stalled": "\(serial)"])
        fixture.add("Mixer.in", of: "Mixer", .receiver, inputs: 4, width: 1)
        fixture.connect("Echo.echo", "Mixer.in")
        fixture.connect("Pad.out", "Mixer.in", lane: 1)
        return fixture
    }()

    func testThePipelineIsShown() throws {
        let diagram = fixture.diagram()
        XCTAssertEqual(
            diagram.pipelines.map { $0.ports.map(\.uniqueName) },
            [["Hung.out", "Echo.echo", "Mixer.in"], ["Pad.out", "Mixer.in"]])
        let echo = try XCTUnwrap(diagram.ports.first { $0.uniqueName == "Echo.echo" })
        XCTAssertEqual(echo.feeds.map(\.isStalled), [true])
        XCTAssertEqual(echo.feeds.map(\.links.note), [""])
        let rows = WatchRows(WatchFixture(fixture).data).rows(of: .pipelines)
        XCTAssertEqual(
            rows.map { $0.name.text(hasColour: false) }, ["Hung → Echo → Mixer", "Pad → Mixer"])
        XCTAssertEqual(
            rows.map { $0.alerts.map { $0.text(hasColour: false) } }, [["Hung does not answer"], []])
    }

    func testItIsFoundByItsName() {
        XCTAssertEqual(
            fixture.diagram("hung").ports.map(\.uniqueName), ["Echo.echo", "Hung.out", "Mixer.in"])
    }

    func testEveryFormMarksIt() {
        let diagram = fixture.diagram()
        XCTAssertTrue(GraphTree(diagram).text.contains("└─ Hung.out"), GraphTree(diagram).text)
        for text in [GraphTree(diagram).text, GraphDOT(diagram).text, GraphMermaid(diagram).text] {
            XCTAssertTrue(text.contains("does not answer"), text)
        }
        XCTAssertTrue(GraphSVG(diagram).text.contains("stroke-dasharray"))
    }
}
