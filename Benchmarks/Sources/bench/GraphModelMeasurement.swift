// SPDX-License-Identifier: MIT
import Foundation

/// What a graph costs, on the processor of the workplace: the program `graph-model`.
struct GraphModelMeasurement {
    let place: Workplace

    private static let rounds = 100

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        for part in ["changes", "loading"] { try run([part], into: &report) }
        // Ten times the graph fits into no cache. If a call took quadratic time, the ratio would be 10.
        try run(["questions"], aim: 2, into: &report)
    }

    /// - Parameter arguments: the part, and what it needs.
    func run(_ arguments: [String], aim: Double = 1.5, into report: inout Report) throws {
        Progress.show("graph-model \(arguments[0])")
        let command = [place.executables.appendingPathComponent("graph-model").path, "\(Self.rounds)"] + arguments
        for line in try Program.run(command, name: "graph-model", in: place) {
            if let figure = try? JSONDecoder().decode(GraphFigure.self, from: Data(line.utf8)) {
                report.graphFigures.append(figure)
            } else {
                report.models.append(try ContestLine(json: line).measure(aim: aim))
            }
        }
    }
}
