// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// Blocks of sound without a time that are written at the graph's pace.
final class WriterPaceTests: XCTestCase {
    /// Whatever the sizes are, and however the blocks lie in the cycles, the sound does not run out once it has begun.
    func testTheSoundDoesNotRunOut() {
        var random = SeededGenerator(seed: 31)
        for quantum in [16, 64, 256, 480, 1000, 1024, 4096, 8192] {
            for block in [1, 64, 441, 480, 960, 1024, 1500, 4800, 10_000, 16_000] {
                for phase in [0, 1, Int.random(in: 0..<quantum, using: &random)] {
                    // Long blocks may be late by 20 ms.
                    let lateness = block > quantum ? min(960, block - quantum) : 0
                    play(block, in: quantum, phase, lateness, &random)
                }
            }
        }
    }

    /// - Parameters:
    ///   - phase: when the first block is written, in frames after a cycle.
    ///   - lateness: the number of frames by which the next ones come late at most.
    private func play(_ block: Int, in quantum: Int, _ phase: Int, _ lateness: Int, _ random: inout SeededGenerator) {
        let name = "blocks of \(block) in cycles of \(quantum), at \(phase)"
        let rig = WriterRig(bufferSize: 1 << 16)
        var (written, heard, silent, due) = (0, 0, 0, phase)
        for time in stride(from: 0, to: max(8 * block, 20 * quantum), by: quantum) {
            while due <= time {
                XCTAssertEqual(rig.write((written..<(written + block)).map { Float($0 + 1) }), block, name)
                written += block
                due = phase + written + (lateness > 0 ? Int.random(in: 0...lateness, using: &random) : 0)
            }
            let sound = rig.run(quantum)
            if sound[0] == 0, heard == 0 {
                silent += quantum
            } else {
                guard sound == (heard..<(heard + quantum)).map({ Float($0 + 1) }) else {
                    return XCTFail("\(name): another sound at \(heard)")
                }
                heard += quantum
            }
        }
        XCTAssertEqual(rig.underruns, 0, name)
        XCTAssertGreaterThan(heard, 0, name)
        // A block, or 20 ms of it, and a cycle; and the rest of the cycles in which that begins and ends.
        XCTAssertLessThanOrEqual(silent - phase, max(min(block, 960), quantum) + 3 * quantum, name)
    }
}
