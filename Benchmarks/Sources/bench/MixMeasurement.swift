// SPDX-License-Identifier: MIT
import Foundation

/// The library's mix beside PipeWire's own mixer and a plain loop, for receivers of many sizes: the program `mix-kernels`
/// on the processor of the workplace.
struct MixMeasurement {
    let place: Workplace

    private static let rounds = 100

    func run(into report: inout Report) throws {
        Progress.show("mix")
        defer { Progress.clear() }
        let executable = place.executables.appendingPathComponent("mix-kernels").path
        report.mixes = try Program.run([executable, "\(Self.rounds)"], name: "mix-kernels", in: place).map {
            try JSONDecoder().decode(MixComparison.self, from: Data($0.utf8))
        }
    }
}
