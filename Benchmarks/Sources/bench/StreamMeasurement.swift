// SPDX-License-Identifier: MIT
import Foundation

/// What streams are made of, each beside its peers in one process on the processor of the workplace: the programs `rings` and
/// `conversions`.
struct StreamMeasurement {
    let place: Workplace

    private static let rounds = 100
    private static let aim = 1.1

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        for program in ["rings", "conversions"] {
            Progress.show(program)
            let executable = place.executables.appendingPathComponent(program).path
            report.streams += try Program.run([executable, "\(Self.rounds)"], name: program, in: place).map {
                try ContestLine(json: $0).measure(aim: Self.aim)
            }
        }
    }
}
