// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// Pipelines and loops of random graphs, with loops and ports that are connected to themselves, beside a simple reference.
final class PipelineReferenceTests: XCTestCase {
    /// The reference: definitions, word for word, on a table of connections.
    private struct Reference {
        let graph: GraphSnapshot
        let isConnected: [[Bool]]

        init(_ graph: GraphSnapshot) {
            self.graph = graph
            isConnected = graph.ports.map { one in
                graph.ports.map { graph.connection(from: one.id, to: $0.id) != nil }
            }
        }

        var all: Range<Int> { graph.ports.indices }
        func passes(_ port: Int) -> Bool { graph.ports[port].kind == .filter && !graph.ports[port].isDevice }
        func isPipeBusFilter(_ port: Int) -> Bool { graph.ports[port].isPipeBus && graph.ports[port].kind == .filter }
        func mayPass(_ port: Int) -> Bool { !graph.ports[port].inputs.isEmpty && !graph.ports[port].outputs.isEmpty }

        /// Whether a path leads from one to another, over at least one connection and through ports that pass.
        func paths(_ passes: (Int) -> Bool) -> [[Bool]] {
            var result = isConnected
            for middle in all where passes(middle) {
                for one in all {
                    for other in all where result[one][middle] && result[middle][other] { result[one][other] = true }
                }
            }
            return result
        }

        var starts: Set<Int> {
            let leads = paths(passes)
            let natural = all.filter { port in
                isConnected[port].contains(true) && (!passes(port) || !all.contains { isConnected[$0][port] })
            }
            // In a loop that nothing else leads into, the first by name.
            let loops = all.filter { port in
                passes(port) && leads[port][port]
                    && all.allSatisfy { !leads[$0][port] || leads[port][$0] && passes($0) }
                    && all.allSatisfy { other in
                        !leads[port][other] || !leads[other][port] || key(port) <= key(other)
                    }
            }
            return Set(natural + loops)
        }

        func key(_ port: Int) -> String {
            "\(graph.peer(of: graph.ports[port])?.applicationID ?? "") \(graph.ports[port].nodeName)"
        }

        func paths(from path: [Int]) -> [[Int]] {
            let last = path[path.count - 1]
            guard path.count == 1 || passes(last) else { return [path] }
            let next = all.filter { isConnected[last][$0] && !(passes($0) && path.contains($0)) }
            return next.isEmpty ? [path] : next.flatMap { paths(from: path + [$0]) }
        }

        var pipelines: Set<[GraphPort.ID]> {
            Set(starts.flatMap { paths(from: [$0]) }.map { path in path.map { graph.ports[$0].id } })
        }

        func loop(_ source: Int, _ destination: Int) -> Certainty {
            func returns(_ passes: (Int) -> Bool) -> Bool {
                passes(source) && passes(destination)
                    && (source == destination || paths(passes)[destination][source])
            }
            return returns(isPipeBusFilter) ? .yes : returns(mayPass) ? .unknown : .no
        }
    }

    private func graph(_ random: inout SeededGenerator, ports: Int, connections: Int) -> Topology {
        var graph = Topology()
        var outputs: [String] = []
        var inputs: [String] = []
        for number in 0..<ports {
            let name = "p\(number)"
            let app = "app\(Int.random(in: 0..<3, using: &random))"
            switch Int.random(in: 0..<14, using: &random) {
            case 0...1: graph.add(name, .sender(app))
            case 2...7: graph.add(name, .filter(app))
            case 8...9: graph.add(name, .receiver(app))
            case 10: graph.add(name, .foreignFilter)
            case 11: graph.add(name, .speakers)
            case 12: graph.add(name, .microphone)
            default: graph.add(name, .foreignRecorder)
            }
        }
        for port in graph.snapshot.ports {
            if !port.outputs.isEmpty { outputs.append(port.nodeName) }
            if !port.inputs.isEmpty { inputs.append(port.nodeName) }
        }
        var made: Set<String> = []
        for _ in 0..<connections {
            guard let source = outputs.randomElement(using: &random), let end = inputs.randomElement(using: &random)
            else { break }
            if made.insert("\(source) > \(end)").inserted { graph.connect("\(source) > \(end)") }
        }
        return graph
    }

    func testThousandsOfRandomGraphs() {
        var random = SeededGenerator(seed: 20_240_617)
        var counts = (loops: 0, unknown: 0, several: 0, complete: 0)
        for round in 0..<3000 {
            let ports = Int.random(in: 1...8, using: &random)
            let snapshot = graph(&random, ports: ports, connections: Int.random(in: 0...ports * 2, using: &random))
                .snapshot
            let reference = Reference(snapshot)
            let list = snapshot.pipelines
            let expected = reference.pipelines
            let found = list.map { $0.ports.map(\.id) }
            if list.isComplete {
                counts.complete += 1
                XCTAssertEqual(Set(found), expected, "round \(round)")
            }
            XCTAssertTrue(Set(found).isSubset(of: expected), "round \(round)")
            XCTAssertEqual(list.isComplete, expected.count <= PipelineList.limit, "round \(round)")
            XCTAssertEqual(Set(found).count, found.count, "no path twice")
            XCTAssertEqual(Set(list.map(\.id)).count, list.count, "no id twice")
            check(list, snapshot, round)
            counts.loops += list.count(where: \.isLoop)
            counts.unknown += list.count { $0.isContinuous == .unknown }
            counts.several += list.count > 5 ? 1 : 0
            for source in snapshot.ports.indices {
                for destination in snapshot.ports.indices {
                    let answer = snapshot.wouldCloseLoop(
                        from: snapshot.ports[source].id, to: snapshot.ports[destination].id)
                    XCTAssertEqual(answer, reference.loop(source, destination), "round \(round)")
                }
            }
            if !hasPassed { return }
        }
        // The graphs are worth something.
        XCTAssertGreaterThan(counts.loops, 300)
        XCTAssertGreaterThan(counts.unknown, 300)
        XCTAssertGreaterThan(counts.several, 300)
        XCTAssertGreaterThan(counts.complete, 2900)
    }

    private func check(_ list: PipelineList, _ graph: GraphSnapshot, _ round: Int) {
        for port in graph.ports {
            let own = graph.pipelines(of: port.id)
            if list.isComplete {
                XCTAssertEqual(Array(own), list.filter { $0.ports.contains(port) }, "round \(round)")
                XCTAssertTrue(own.isComplete)
            }
            let isConnected = !graph.sources(of: port.id).isEmpty || !graph.destinations(of: port.id).isEmpty
            XCTAssertEqual(!own.isEmpty, isConnected, "round \(round): a connected port is in a pipeline")
        }
        for pipeline in list where pipeline.isLoop {
            let ends = graph.destinations(of: pipeline.end.id)
            XCTAssertTrue(!ends.isEmpty && ends.allSatisfy { pipeline.ports.contains($0) })
        }
    }

    /// Stops at the first round that fails, before a thousand others do.
    private var hasPassed: Bool { (testRun?.totalFailureCount ?? 0) == 0 }
}
