// SPDX-License-Identifier: MIT
import Foundation

/// What streams are made of, each beside its peers in one process on the processor of the workplace: the programs `rings` and
/// `conversions`.
struct StreamMeasurement {
    let place: Workplace

    private static let rounds = 100
    private static let aim = 1.1

    /// A line that such a program prints.
    private struct Line: Decodable {
        var name: String
        /// Nanoseconds.
        var ours: Double
        var peer: Double
        var ratio: Double
    }

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        for program in ["rings", "conversions"] {
            Progress.show(program)
            let executable = place.executables.appendingPathComponent(program).path
            report.streams += try Program.run([executable, "\(Self.rounds)"], name: program, in: place).map {
                let line = try JSONDecoder().decode(Line.self, from: Data($0.utf8))
                return Measure(
                    name: line.name, unit: "ns", ours: line.ours, peer: line.peer, ratio: line.ratio, aim: Self.aim)
            }
        }
    }
}
