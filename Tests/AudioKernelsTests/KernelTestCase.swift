// SPDX-License-Identifier: MIT
import CAudioKernels
import SeededRandom
import XCTest

/// The common part of the kernels' tests: every implementation in turn, random numbers that are equal in each run, and
/// samples between samples that must not be used.
class KernelTestCase: XCTestCase {
    var numbers = SeededGenerator(seed: 1)

    override func tearDown() {
        cak_prepare()
        super.tearDown()
    }

    /// Runs a test with each implementation that this processor has.
    func forEachImplementation(_ test: (String) -> Void) {
        for (implementation, name) in [(cak_baseline, "baseline"), (cak_avx2, "AVX2")] {
            guard cak_use(implementation) else { continue }
            numbers = SeededGenerator(seed: 1)
            test(name)
        }
    }

    func noise(_ count: Int, amplitude: Float = 1) -> [Float] {
        (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &numbers) }
    }

    /// A number of frames that is as often tiny, around the width of a block, and longer.
    func randomFrames() -> Int {
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: Int.random(in: 0...16, using: &numbers)
        case 1: Int.random(in: 24...72, using: &numbers)
        case 2: Int.random(in: 120...136, using: &numbers)
        default: Int.random(in: 0...400, using: &numbers)
        }
    }

    /// The samples that a kernel stores when its destination is as long as they are and lies anywhere; it must leave
    /// alone what is around it.
    func result(
        of frames: Int, file: StaticString = #filePath, line: UInt = #line,
        _ kernel: (UnsafeMutablePointer<Float>) -> Void
    ) -> [Float] {
        let before = Int.random(in: 8...24, using: &numbers)
        var memory = [Float](repeating: 77, count: before + frames + 72)
        unsafe memory.withUnsafeMutableBufferPointer { buffer in
            unsafe kernel(buffer.baseAddress! + before)
        }
        XCTAssert(memory[..<before].allSatisfy { $0 == 77 }, "wrote before the destination", file: file, line: line)
        XCTAssert(memory[(before + frames)...].allSatisfy { $0 == 77 }, "wrote beyond it", file: file, line: line)
        return Array(memory[before..<before + frames])
    }
}
