// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import PipeBus
import XCTest

@testable import PipeBusApps
@testable import PipeBusCommand

/// Installed apps that do not run, in every form of the graph.
final class AbsentAppTests: XCTestCase {
    private static func app(_ id: String, _ name: String, _ ports: [AppPort]) -> InstalledApp {
        InstalledApp(
            id: id, name: name, iconName: "violin", ports: ports, isDBusActivatable: false, entryPath: "/x.desktop")
    }

    private let installed = [
        app(
            "org.example.absent", "Absent & \"Co\"",
            [.sender("out", title: "Main <Out>"), .receiver("voice", channels: .mono)]),
        // It runs.
        app("org.example.Drums", "Drums", [.sender("out")]),
        app("org.example.fx", "Effect", [.filter("fx", inputs: .mono, outputs: .stereo)]),
    ]

    private func diagram(filter: String? = nil) -> GraphDiagram {
        let fixture = DiagramFixture.everything
        return DiagramBuilder(fixture.snapshot, fixture.facts, filter: filter, installed: installed).diagram
    }

    func testTheyComeAfterTheAppsThatRun() throws {
        let diagram = diagram()
        XCTAssertEqual(
            diagram.apps.map(\.name),
            [
                "Bass", "Drums", "Dub", "Echo", "Mixer", "Rack", "Tape", "Absent & \"Co\"", "Effect", "Devices",
                "Monitors of devices",
            ])
        XCTAssertEqual(diagram.apps.filter { !$0.isRunning }.map(\.name), ["Absent & \"Co\"", "Effect"])
        XCTAssertEqual(diagram.apps[7].ports.map(\.kind), [.sender, .receiver])
        XCTAssertEqual(diagram.apps[8].ports.map { [$0.inputs, $0.outputs] }, [[1, 2]])
        XCTAssertEqual(Set(diagram.ports.map(\.key)).count, diagram.ports.count)
        XCTAssertTrue(diagram.ports.allSatisfy { $0.key.utf8.allSatisfy { (0x30...0x7A).contains($0) } })
        // By a part of a name, as those that run.
        XCTAssertEqual(self.diagram(filter: "MAIN <").apps.map(\.name), ["Absent & \"Co\""])
        XCTAssertEqual(self.diagram(filter: "example.fx").apps.map(\.name), ["Effect"])
        XCTAssertEqual(self.diagram(filter: "nothing").apps.map(\.name), [])
    }

    func testTheTreeShowsThemDim() {
        let text = GraphTree(diagram()).text
        let lines = text.components(separatedBy: "\n")
        XCTAssertEqual(lines[0], "11 ports of 7 apps, 9 connections, 2 installed apps not running")
        XCTAssertTrue(lines.contains("Absent & \"Co\"  org.example.absent  not running"), text)
        XCTAssertTrue(
            lines.contains { $0.hasPrefix("  ▶ 'Absent & \"Co\".out'") && $0.hasSuffix("“Main <Out>”") }, text)
        XCTAssertFalse(lines.contains { $0.hasPrefix("Drums") && $0.hasSuffix("not running") })
        let coloured = GraphTree(diagram(), hasColour: true).text.components(separatedBy: "\n")
        let own = coloured.drop { !$0.contains("Absent") }.prefix(3)
        XCTAssertEqual(own.count, 3)
        for line in own {
            let styles = line.components(separatedBy: "\u{1B}[").dropFirst().map { $0.prefix { $0 != "m" } }
            XCTAssertEqual(Set(styles), ["2", "0"], line)
        }
        // In a graph without ports.
        let empty = DiagramBuilder(.empty, GraphFacts(), installed: installed).diagram
        let alone = GraphTree(empty).text.components(separatedBy: "\n")
        XCTAssertEqual(alone[0], "There is no port in the graph.")
        XCTAssertTrue(alone.contains("Effect  org.example.fx  not running"))
    }

    func testDOTAndMermaidShowThemGrey() {
        let dot = GraphDOT(diagram()).text
        XCTAssertTrue(
            dot.contains(
                "graph [label=\"Absent &amp; \\\"Co\\\" (not running)\", style=\"rounded,filled\", color=\"#e2e8f0\", "
                    + "fillcolor=\"#f8fafc\", fontcolor=\"#94a3b8\"]"), dot)
        XCTAssertTrue(
            dot.contains(
                "a0p0 [label=\"Main &lt;Out&gt;\", tooltip=\"Absent &amp; \\\"Co\\\".out\", fillcolor=\"#f1f5f9\", "
                    + "color=\"#cbd5e1\", fontcolor=\"#94a3b8\"]"), dot)
        let mermaid = GraphMermaid(diagram()).text
        XCTAssertTrue(mermaid.contains("    a0p0([\"Main #60;Out#62;\"]):::absent"), mermaid)
        XCTAssertTrue(mermaid.hasSuffix("\n  classDef absent fill:#f1f5f9,stroke:#cbd5e1,color:#94a3b8"), mermaid)
        XCTAssertFalse(GraphMermaid(DiagramFixture.everything.diagram()).text.contains("absent"))
    }

    func testThePictureShowsThemFaint() throws {
        let icon = try XCTUnwrap(IconImage(Array("<svg/>".utf8)))
        let text = GraphSVG(diagram(), absentFaces: ["org.example.absent": icon]).text
        XCTAssertTrue(XMLParser(data: Data(text.utf8)).parse())
        XCTAssertEqual(text.components(separatedBy: "<g opacity=\"0.6\">").count, 4, "a card in each column")
        XCTAssertTrue(text.contains("11 ports  ·  7 apps  ·  9 connections  ·  2 installed apps not running"))
        XCTAssertTrue(text.contains("<title>Effect, org.example.fx, not running</title>"))
        XCTAssertEqual(text.components(separatedBy: "<use href=\"#icon0\"").count, 3)
        let open = text.components(separatedBy: "<g").count
        XCTAssertEqual(open, text.components(separatedBy: "</g>").count)
    }

    func testJSONSaysWhichRun() throws {
        let data = Data(try GraphDocument(diagram()).jsonDocument.utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        XCTAssertEqual(json["version"] as? Int, 1)
        let apps = try XCTUnwrap(json["apps"] as? [[String: Any]])
        XCTAssertEqual(
            apps.map { $0["isRunning"] as? Bool }, Array(repeating: true, count: 7) + [false, false, nil, nil])
        let port = try XCTUnwrap((apps[7]["ports"] as? [[String: Any]])?.first)
        XCTAssertEqual(port["uniqueName"] as? String, "Absent & \"Co\".out")
        XCTAssertNil(port["serial"])
        XCTAssertNotNil((apps[0]["ports"] as? [[String: Any]])?.first?["serial"])
    }
}
