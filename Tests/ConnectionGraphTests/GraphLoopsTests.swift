// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// The loops of a whole graph.
final class GraphLoopsTests: XCTestCase {
    func testTheyAreTheAnswersForEachConnection() {
        var answers: [Certainty: Int] = [:]
        for seed in 0..<1000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let graph = randomGraph(&random).snapshot
            let loops = graph.loops
            for connection in graph.connections {
                let answer = graph.wouldCloseLoop(from: connection.source, to: connection.destination)
                XCTAssertEqual(loops.certainty(of: connection), answer, "seed \(seed), \(connection)")
                answers[answer, default: 0] += 1
            }
        }
        for answer in Certainty.allCases { XCTAssertGreaterThan(answers[answer] ?? 0, 100, "\(answer)") }
    }

    private func randomGraph(_ random: inout SeededGenerator) -> Topology {
        var graph = Topology()
        var outlets: [String] = []
        var inlets: [String] = []
        for index in 0..<Int.random(in: 2...9, using: &random) {
            let name = "p\(index)"
            let app = "app \(Int.random(in: 0..<3, using: &random))"
            let kind = Int.random(in: 0..<7, using: &random)
            // The receiver with that name, if it is one of the same app.
            let followed = "p\(Int.random(in: 0..<9, using: &random))"
            graph.portProperties = kind == 0 ? [PipeBusProperty.follows: followed] : [:]
            switch kind {
            case 0: graph.add(name, .sender(app))
            case 1, 2, 3: graph.add(name, .filter(app))
            case 4: graph.add(name, .receiver(app))
            case 5: graph.add(name, .foreignFilter)
            default: graph.add(name, .speakers)
            }
            if kind != 4 { outlets.append(name) }
            if kind != 0 { inlets.append(name) }
        }
        for _ in 0..<Int.random(in: 0...14, using: &random) {
            guard let source = outlets.randomElement(using: &random), let sink = inlets.randomElement(using: &random)
            else { continue }
            graph.connect("\(source) > \(sink)")
        }
        return graph
    }
}
