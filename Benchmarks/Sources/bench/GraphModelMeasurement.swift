// SPDX-License-Identifier: MIT
import Foundation

/// What a change of the graph costs, on the processor of the workplace: the program `graph-model`.
struct GraphModelMeasurement {
    let place: Workplace

    private static let rounds = 100

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        Progress.show("graph-model")
        let executable = place.executables.appendingPathComponent("graph-model").path
        report.models += try Program.run([executable, "\(Self.rounds)"], name: "graph-model", in: place).map {
            try ContestLine(json: $0).measure(aim: 1.5)
        }
    }
}
