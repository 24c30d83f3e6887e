// SPDX-License-Identifier: MIT
import PipeBusTesting
import SeededRandom

/// Cycles to run: how long they are, and how many of each length.
struct Steps: Sendable {
    let list: [(frames: Int, cycles: Int)]

    var frames: UInt64 { UInt64(list.reduce(0) { $0 + $1.frames * $1.cycles }) }
    var cycles: UInt64 { UInt64(list.reduce(0) { $0 + $1.cycles }) }

    /// At least so many frames, in cycles of one length.
    static func atLeast(_ frames: Int, by quantum: Int) -> Steps {
        Steps(list: [(quantum, (frames + quantum - 1) / quantum)])
    }

    /// Cycles of any length that a cycle can have, another one each time; the same ones at every run.
    static func random(cycles: Int, seed: UInt64) -> Steps {
        var generator = SeededGenerator(seed: seed)
        return Steps(list: (0..<cycles).map { _ in (Int.random(in: GraphStepper.frameCounts, using: &generator), 1) })
    }
}
