// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// The delay that blocks of a fixed size need.
final class BlockDelayTests: XCTestCase {
    private static let sizes = [1, 2, 7, 64, 441, 1000, 1024, 4096, 10_000, 65_536]
    private static let quanta = [1, 16, 17, 64, 256, 441, 480, 1000, 1024, 2048, 8192]

    /// It is the most that waits at the end of any cycle, found by counting.
    func testItIsTheLeastThatWorks() {
        for size in Self.sizes {
            for quantum in Self.quanta {
                var delay = BlockDelay(blockSize: size)
                delay.note(quantum: quantum)
                delay.restart()
                var (phase, most, growth) = (0, 0, 0)
                repeat {
                    growth += delay.grow(phase: phase)
                    phase = (phase + quantum) % size
                    most = max(most, phase)
                } while phase != 0
                XCTAssertEqual(growth, 0)
                XCTAssertEqual(delay.frames, most, "blocks of \(size) in cycles of \(quantum)")
                if quantum % size == 0 { XCTAssertEqual(delay.frames, 0) }
            }
        }
    }

    func testItSufficesWhateverTheCyclesAre() {
        var generator = SeededGenerator(seed: 7)
        for size in Self.sizes {
            var delay = BlockDelay(blockSize: size)
            var phase = 0
            delay.note(quantum: 1024)
            delay.restart()
            for _ in 0..<2000 {
                let quantum = Bool.random(using: &generator) ? 1024 : Int.random(in: 1...8192, using: &generator)
                let before = delay.frames
                delay.note(quantum: quantum)
                XCTAssertEqual(delay.grow(phase: phase), delay.frames - before)
                phase = (phase + quantum) % size
                XCTAssertLessThanOrEqual(phase, delay.frames)
                XCTAssertLessThan(delay.frames, size)
                XCTAssertFalse(delay.shrink(sampleRate: 48_000), "no length lasts")
            }
        }
    }

    func testItShrinksWhenALengthHasLastedForASecond() {
        var delay = BlockDelay(blockSize: 1000)
        delay.note(quantum: 441)
        delay.restart()
        XCTAssertEqual(delay.frames, 999)
        for cycle in 1...48 {
            delay.note(quantum: 1000)
            XCTAssertEqual(delay.grow(phase: 0), 0)
            XCTAssertEqual(delay.shrink(sampleRate: 48_000), cycle == 48)
        }
        XCTAssertEqual(delay.frames, 0)
        delay.note(quantum: 500)
        XCTAssertEqual(delay.grow(phase: 0), 500)
        for _ in 0..<1000 {
            delay.note(quantum: 500)
            XCTAssertFalse(delay.shrink(sampleRate: 48_000), "it is the least one")
        }
    }
}

extension BlockDelayTests {
    /// The greatest common divisor, found by trying.
    static func divisor(_ first: Int, _ second: Int) -> Int {
        (1...min(first, second)).last { first % $0 == 0 && second % $0 == 0 } ?? 1
    }
}
