// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import XCTest

@testable import PipeBusCommand

/// The forms of the graph for other programs.
final class GraphFormsTests: XCTestCase {
    /// From a sender through a loop of filters into a mixer, which goes nowhere.
    private let diagram: GraphDiagram = {
        var diagram = DiagramFixture.everything.diagram("bass")
        let apps = ["Bass", "Dub", "Echo", "Mixer"]
        diagram.apps = diagram.apps.filter { apps.contains($0.name) }
        return diagram
    }()

    func testDOT() {
        let lines = GraphDOT(diagram).text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        XCTAssertEqual(lines.first, "digraph pipebus {")
        XCTAssertEqual(lines.last, "}")
        let keys = Dictionary(uniqueKeysWithValues: diagram.ports.map { ($0.uniqueName, $0.key) })
        let (bass, echo, dub, mixer) = (keys["Bass.out"]!, keys["Echo.echo"]!, keys["Dub.dub"]!, keys["Mixer.in"]!)
        XCTAssertEqual(
            lines.filter { $0.contains(" -> ") },
            [
                "\(echo) -> \(dub) [label=\"20.0 ms\", color=\"#e11d48\", style=dashed, constraint=false]",
                "\(bass) -> \(echo) [label=\"10.0 ms\"]",
                "\(dub) -> \(echo) [label=\"30.0 ms\", color=\"#e11d48\", style=dashed, constraint=false]",
                "\(dub) -> \(mixer) [label=\"R30, solo, 30.0 ms\"]",
            ])
        XCTAssertTrue(
            lines.contains(
                "\(dub) [label=\"Dub.dub · bypassed · 30.0 ms\", tooltip=\"Dub.dub\", fillcolor=\"#fef3c7\"]"))
    }

    func testMermaid() {
        var fixture = DiagramFixture()
        fixture.add("A.out", of: "A", .sender, title: "Say \"hi\" [1]", outputs: 1)
        fixture.add("B.in", of: "B", .receiver, inputs: 2, width: 1)
        fixture.connect("A.out", "B.in")
        let keys = fixture.diagram().ports.map(\.key)
        XCTAssertEqual(
            GraphMermaid(fixture.diagram()).text,
            """
            flowchart LR
              subgraph app0 ["A"]
                \(keys[0])(["Say #34;hi#34; #91;1#93;"]):::sender
              end
              subgraph app1 ["B"]
                \(keys[1])["B.in"]:::receiver
              end
              \(keys[0]) --> \(keys[1])
              classDef sender fill:#ccfbf1,stroke:#0f766e,color:#0f172a
              classDef receiver fill:#dbeafe,stroke:#2563eb,color:#0f172a
            """)
    }

    func testJSONHasWhatTheTextHas() throws {
        let data = Data(try GraphDocument(diagram).jsonDocument.utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        XCTAssertEqual(
            Set(json.keys), ["version", "pace", "apps", "pipelines", "hasAllPipelines"], "a change needs a new version")
        let apps = try XCTUnwrap(json["apps"] as? [[String: Any]])
        XCTAssertEqual(apps.map { $0["name"] as? String }, ["Bass", "Dub", "Echo", "Mixer"])
        let mixer = try XCTUnwrap((apps[3]["ports"] as? [[String: Any]])?.first)
        XCTAssertEqual(mixer["lanes"] as? Int, 4)
        XCTAssertEqual(mixer["lanesInUse"] as? Int, 2)
        let source = try XCTUnwrap((mixer["sources"] as? [[String: Any]])?.first)
        XCTAssertEqual(source["uniqueName"] as? String, "Dub.dub")
        XCTAssertEqual(source["latency"] as? Double, 30)
        XCTAssertEqual((source["level"] as? [String: Any])?["isSoloed"] as? Bool, true)
        let pipelines = try XCTUnwrap(json["pipelines"] as? [[String: Any]])
        let pipeline = try XCTUnwrap(pipelines.first { ($0["ports"] as? [String])?.first == "Bass.out" })
        XCTAssertEqual(pipeline["ports"] as? [String], ["Bass.out", "Echo.echo", "Dub.dub", "Mixer.in"])
        XCTAssertNotNil((pipeline["id"] as? String).flatMap(Pipeline.ID.init))
    }

    func testASmallPictureHasItsParts() {
        let text = GraphSVG(diagram).text
        for words in [
            "Bass out", "LIVE", "BYPASSED", "SENDERS", "FILTERS AND MIXERS", "30.0 ms", "2 of 4 lanes", ">S<",
        ] {
            XCTAssertTrue(text.contains(words), words)
        }
        XCTAssertFalse(text.contains("RECEIVERS"), "there is none")
        XCTAssertTrue(text.contains("stroke-dasharray"), "the loop")
        for words in ["<script", "href", "url(", "@import", "<image", "<style"] {
            XCTAssertFalse(text.contains(words), words)
        }
        XCTAssertTrue(GraphSVG(DiagramFixture().diagram()).text.contains("There is no port in the graph."))
    }

    /// What a person reads in the picture can be typed: the name is where the mouse points to, and shown where two titles are alike.
    func testAPictureHasTheNamesOfPorts() throws {
        var fixture = DiagramFixture()
        let long = "A title that is far too long for a card, and is cut"
        fixture.add("Warm Pad.out", ofAnother: "Warm Pad", .sender, title: "Warm Pad out", outputs: 1)
        fixture.add("Warm Pad.out-2", ofAnother: "Warm Pad", .sender, title: "Warm Pad out", outputs: 1)
        fixture.add("Organ.out", of: "Organ", .sender, title: long, outputs: 1)
        fixture.add("speakers", of: nil, title: "Hall", inputs: 1, outputs: 1, extra: ["media.class": "Audio/Sink"])
        fixture.add("Desk.in", of: "Desk", .receiver, title: "Desk in", inputs: 8, width: 1)
        for (lane, source) in ["Warm Pad.out", "Warm Pad.out-2", "Organ.out", "speakers"].enumerated() {
            fixture.connect(source, "Desk.in", lane: lane)
        }
        let text = GraphSVG(fixture.diagram()).text
        for tip in [
            "Warm Pad out (Warm Pad.out)", "Warm Pad out (Warm Pad.out-2)", "\(long) (Organ.out)", "Desk in (Desk.in)",
            "Warm Pad out (Warm Pad.out-2) → Desk in (Desk.in)", "Hall (speakers)",
        ] {
            XCTAssertTrue(text.contains("<title>\(DiagramText.xml(tip))</title>"), tip)
        }
        // The card of each of the two, and its row at the receiver.
        let texts = text.split(separator: "\n").filter { $0.hasPrefix("<text") }
        for shown in [">Warm Pad.out · mono<", ">Warm Pad.out-2 · mono<", ">Warm Pad.out<", ">Warm Pad.out-2<"] {
            XCTAssertEqual(texts.count { $0.contains(shown) }, 1, shown)
        }
        XCTAssertFalse(texts.contains { $0.contains("Organ.out") || $0.contains("speakers") || $0.contains("Desk.in") })
    }
}
