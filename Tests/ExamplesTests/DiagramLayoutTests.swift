// SPDX-License-Identifier: MIT
import PipeBus
import SeededRandom
import XCTest

@testable import PipeBusCommand

/// The places in a picture.
final class DiagramLayoutTests: XCTestCase {
    private func columns(_ fixture: DiagramFixture) -> [String: Int] {
        let diagram = fixture.diagram()
        let layers = DiagramLayers(diagram.ports)
        return Dictionary(zip(diagram.ports.map { "\($0.uniqueName) \($0.kind)" }, layers.columns)) { first, _ in first
        }
    }

    func testSendersAreFirstReceiversLastAndFiltersInBetween() {
        XCTAssertEqual(
            columns(.everything),
            [
                "Drums.out sender": 0, "Bass.out sender": 0, "mic capture": 0, "speakers monitor": 0,
                "Echo.echo filter": 1, "jack filter": 1, "Dub.dub filter": 2, "Mixer.in receiver": 3,
                "Mixer.mix sender": 3, "Tape.in receiver": 4, "speakers playback": 4,
            ])
        XCTAssertEqual(columns(DiagramFixture()), [:])
    }

    func testALoopHasOneLineBack() {
        let diagram = DiagramFixture.everything.diagram()
        let layout = DiagramLayout(diagram)
        let back = layout.lines.filter(\.isBackward).map { line in
            [line.edge.source, line.edge.destination].map { diagram.ports[$0].uniqueName }
        }
        XCTAssertEqual(back, [["Dub.dub", "Echo.echo"]])
    }

    private func random(_ random: inout SeededGenerator, ports: Int, connections: Int) -> GraphDiagram {
        var fixture = DiagramFixture()
        var sources: [String] = []
        var destinations: [String] = []
        for number in 0..<ports {
            let app = "app\(Int.random(in: 0..<max(ports / 2, 1), using: &random))"
            let name = "p\(number)"
            let choice = Int.random(in: 0..<6, using: &random)
            switch choice {
            case 0: fixture.add(name, of: app, .sender, outputs: 2)
            case 1: fixture.add(name, of: app, .receiver, inputs: 8, width: 2)
            case 2: fixture.add(name, of: nil, inputs: 2, outputs: 2, extra: ["media.class": "Audio/Sink"])
            case 3: fixture.add(name, of: app, inputs: 1, outputs: 1)
            default: fixture.add(name, of: app, .filter, inputs: 2, outputs: 2)
            }
            if choice != 1 { sources.append(name) }
            if choice != 0 { destinations.append(name) }
        }
        for _ in 0..<connections {
            guard let source = sources.randomElement(using: &random),
                let destination = destinations.randomElement(using: &random)
            else { break }
            fixture.connect(source, destination)
        }
        return fixture.diagram()
    }

    func testCardsDoNotOverlapAndLinesMeetThem() {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<300 {
            let ports = Int.random(in: 1...25, using: &generator)
            let diagram = random(
                &generator, ports: ports, connections: Int.random(in: 0...ports * 2, using: &generator))
            let layout = DiagramLayout(diagram)
            XCTAssertEqual(layout.cards.reduce(0) { $0 + $1.ports.count }, diagram.ports.count, "round \(round)")
            XCTAssertEqual(layout.lines.count, diagram.ports.reduce(0) { $0 + $1.feeds.count }, "round \(round)")
            for column in 0..<layout.columns.count {
                let own = layout.cards.filter { $0.column == column }.sorted { $0.y < $1.y }
                for (upper, lower) in zip(own, own.dropFirst()) {
                    XCTAssertGreaterThanOrEqual(
                        lower.y, upper.y + upper.height + DiagramLayout.cardGap - 0.001, "round \(round)")
                }
            }
            for card in layout.cards {
                XCTAssertGreaterThanOrEqual(card.y, DiagramLayout.top - 0.001)
                XCTAssertLessThan(card.y + card.height, layout.height)
                XCTAssertLessThan(card.x + card.width, layout.width)
            }
            for line in layout.lines {
                XCTAssertTrue(line.points.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.y < layout.height })
                XCTAssertEqual(line.isBackward, layout.layers.leadsBack(line.edge))
                if line.isBackward { continue }
                XCTAssertEqual(line.points.map(\.x), line.points.map(\.x).sorted(), "forward lines lead to the right")
                // A line that passes a column goes between its cards.
                for (left, right) in zip(line.points.dropFirst(), line.points.dropFirst(2)) where left.y == right.y {
                    let hit = layout.cards.first { $0.x == left.x && $0.y < left.y && left.y < $0.y + $0.height }
                    XCTAssertTrue(hit == nil || line.points.count < 4, "round \(round)")
                }
            }
        }
    }

    func testManyPortsAndALongChainHaveAPicture() {
        var fixture = DiagramFixture()
        fixture.add("s", of: "s", .sender, outputs: 1)
        var last = "s"
        for number in 0..<200 {
            fixture.add("f\(number)", of: "f\(number)", .filter, inputs: 1, outputs: 1)
            fixture.connect(last, "f\(number)")
            last = "f\(number)"
        }
        fixture.connect(last, "f0")
        let diagram = fixture.diagram()
        XCTAssertEqual(DiagramLayout(diagram).columns.count, 201)
        XCTAssertTrue(GraphSVG(diagram).text.contains("</svg>"))
    }
}
