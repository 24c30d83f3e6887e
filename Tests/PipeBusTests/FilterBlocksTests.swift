// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// A filter with blocks of a fixed size, on the real audio side.
final class FilterBlocksTests: XCTestCase {
    private static let sizes = [1, 7, 64, 441, 1000, 1024, 4096, 10_000, 65_536]
    private static let quanta = [16, 17, 64, 441, 1000, 1024, 8192]

    /// The calls follow on each other, and each has the block's size and the time of its first frame.
    private func assertSteady(_ calls: [AudioCycle], _ rig: BlockRig, line: UInt = #line) {
        for (before, call) in zip(calls, calls.dropFirst()) {
            XCTAssertEqual(call.position, before.position + UInt64(rig.blockSize), line: line)
            XCTAssertFalse(call.isDiscontinuous, line: line)
        }
        for call in calls {
            XCTAssertEqual(call.frameCount, rig.blockSize, line: line)
            XCTAssertEqual(call.missedFrames, 0, line: line)
            // Each part is rounded down to a nanosecond.
            let time = Int64(rig.time(of: call.position)) - Int64(call.startTime.nanoseconds)
            XCTAssertTrue((0...1).contains(time), "\(time) ns", line: line)
        }
    }

    func testSoundIsLateByTheLeastDelayThatCyclesOfOneLengthAllow() {
        for kind in [BlockRig.Kind.filter, .inPlaceFilter] {
            for size in Self.sizes {
                for quantum in Self.quanta {
                    let rig = BlockRig(kind, blockSize: size, channels: 2)
                    let start = rig.position
                    var heard: [[Float]] = [[], []]
                    while heard[0].count < 3 * size + 3 * quantum {
                        for (channel, output) in rig.run(quantum).enumerated() { heard[channel] += output }
                    }
                    let delay = size - BlockDelayTests.divisor(size, quantum)
                    let name = "blocks of \(size) in cycles of \(quantum), \(kind)"
                    XCTAssertEqual(rig.delay, delay, name)
                    for channel in 0..<2 {
                        let sounding = UInt64(heard[channel].count - delay)
                        let expected =
                            Array(repeating: 0, count: delay)
                            + BlockRig.negated(start..<start + sounding, channel: channel)
                        XCTAssertTrue(heard[channel] == expected, name)
                    }
                    let calls = rig.takeCalls()
                    XCTAssertEqual(calls.first?.position, start, name)
                    XCTAssertEqual(calls.first?.isDiscontinuous, true, name)
                    XCTAssertEqual(calls.count, heard[0].count / size, name)
                    assertSteady(calls, rig)
                }
            }
        }
    }

    /// Cycles of any length, as often as not another one: gaps come in, and no sound is lost or repeated.
    func testNothingIsLostOrRepeatedWhenTheLengthChanges() {
        var generator = SeededGenerator(seed: 3)
        for size in Self.sizes {
            let rig = BlockRig(.filter, blockSize: size)
            let start = rig.position
            var (heard, frames): ([Float], Int) = ([], Self.quanta[0])
            for cycle in 0..<250 {
                // Short enough that none lasts for a second.
                if Bool.random(using: &generator) { frames = Int.random(in: 1...1500, using: &generator) }
                heard += rig.run(cycle.isMultiple(of: 50) ? 8192 : frames)[0]
            }
            let sounding = heard.filter { $0 != 0 }
            XCTAssertEqual(sounding.count, heard.count - rig.delay, "blocks of \(size)")
            XCTAssertTrue(sounding == BlockRig.negated(start..<start + UInt64(sounding.count)), "blocks of \(size)")
            assertSteady(rig.takeCalls(), rig)
            // As late as is published.
            let end = rig.position - UInt64(rig.delay)
            XCTAssertTrue(
                Array(rig.run(frames)[0].suffix(100)) == BlockRig.negated(end..<end + UInt64(frames)).suffix(100),
                "blocks of \(size)")
        }
    }

    func testADelayThatIsTooLongShrinksAfterASecond() {
        for quantum in [500, 1000, 2000] {
            let rig = BlockRig(.filter, blockSize: 1000)
            for frames in [441, 441, 1000, 441] { rig.run(frames) }
            XCTAssertEqual(rig.delay, 999)
            let least = quantum == 500 ? 500 : 0
            for cycle in 1...120 {
                rig.run(quantum)
                XCTAssertEqual(rig.delay, cycle * quantum < 48_000 ? 999 : least, "cycle \(cycle) of \(quantum)")
            }
            _ = rig.takeCalls()
            let start = rig.position - UInt64(least)
            XCTAssertTrue(rig.run(quantum)[0] == BlockRig.negated(start..<start + UInt64(quantum)))
            assertSteady(rig.takeCalls(), rig)
        }
    }

    /// Where blocks end as they should already, the block does not notice.
    func testTheBlockGoesOnWhenOnlyItsSoundWaitsForLess() {
        let rig = BlockRig(.filter, blockSize: 1024)
        rig.run(512)
        rig.run(256)
        XCTAssertEqual(rig.delay, 768)
        rig.run(256)
        for _ in 0..<100 { rig.run(512) }
        XCTAssertEqual(rig.delay, 512)
        let calls = rig.takeCalls()
        XCTAssertEqual(calls.count, 51)
        assertSteady(calls, rig)
    }

    func testMissedFramesAreToldOnceAndTheBlockHasNoGapInside() {
        let rig = BlockRig(.filter, blockSize: 1000)
        for _ in 0..<30 { rig.run(300) }
        XCTAssertEqual(rig.delay, 900)
        let end = rig.takeCalls().last.map { $0.position + 1000 } ?? 0
        rig.run(300)
        _ = rig.takeCalls()
        let lost = rig.position
        // Three hundred frames of the next block were there.
        XCTAssertEqual(lost - end, 300)
        rig.position += 600
        let start = rig.position
        var heard: [Float] = []
        for _ in 0..<20 { heard += rig.run(300)[0] }
        let calls = rig.takeCalls()
        XCTAssertEqual(calls.first?.position, start)
        XCTAssertEqual(calls.map(\.missedFrames).first, 900, "with those that were there for nothing")
        XCTAssertEqual(calls.map(\.missedFrames).dropFirst().max(), 0)
        XCTAssertEqual(calls.map(\.isDiscontinuous).first, true)
        XCTAssertEqual(calls.map(\.isDiscontinuous).dropFirst().contains(true), false)
        // What was finished leaves at its time, which for all but the last 300 - 900 + 600 frames has passed.
        XCTAssertEqual(rig.delay, 900)
        let expected = (0..<UInt64(heard.count)).map { frame in
            let position = start + frame - 900
            return position < end || position >= start ? -BlockRig.sound(at: position, channel: 0) : 0
        }
        XCTAssertTrue(heard == expected)
    }

    func testAfterAPauseOldSoundIsNotHeard() {
        let rig = BlockRig(.filter, blockSize: 1000)
        for _ in 0..<7 { rig.run(441) }
        rig.reconnect()
        rig.position += 10_000
        _ = rig.takeCalls()
        let start = rig.position
        var heard: [Float] = []
        for _ in 0..<10 { heard += rig.run(250)[0] }
        XCTAssertEqual(rig.delay, 750, "the least one again")
        XCTAssertTrue(heard == Array(repeating: 0, count: 750) + BlockRig.negated(start..<start + 1750))
        let calls = rig.takeCalls()
        XCTAssertEqual(calls.map(\.isDiscontinuous), [true, false])
        XCTAssertEqual(calls.map(\.missedFrames), [0, 0])
        // Another rate, and another clock.
        rig.sampleRate = 44_100
        rig.run(250)
        XCTAssertEqual(Set(rig.run(250)[0]), [0])
        for _ in 0..<3 { rig.run(250) }
        XCTAssertEqual(rig.takeCalls().map(\.sampleRate), [44_100])
    }

    func testABlockThatWasHeldUpIsToldSo() {
        let rig = BlockRig(.filter, blockSize: 1000)
        for _ in 0..<9 { rig.run(300) }
        _ = rig.takeCalls()
        rig.run(100, isOvertaken: true)
        for _ in 0..<10 { rig.run(200) }
        let calls = rig.takeCalls()
        XCTAssertEqual(calls.map(\.isDiscontinuous), [true, false])
        XCTAssertEqual(calls.map(\.missedFrames), [0, 0])
    }

    /// Every seam is a decay and a fade-in: of a steady sound, no step.
    func testChangesMakeNoStep() {
        var generator = SeededGenerator(seed: 11)
        for size in [7, 441, 1024, 4096, 10_000] {
            let rig = BlockRig(.filter, blockSize: size, fade: .standard, gain: 1)
            var heard: [Float] = []
            for frames in [512, 441, 1000, 1024, 4096, 17] {
                for _ in 0..<(60_000 / frames) { heard += rig.run(frames) { _, _ in 1 }[0] }
            }
            for _ in 0..<200 {
                heard += rig.run(Int.random(in: 1...2000, using: &generator)) { _, _ in 1 }[0]
            }
            // A decay and a fade-in of 240 frames at once.
            let bound = 2 * Float.pi / 2 / 240 * 1.02
            XCTAssertEqual(heard.max() ?? 0, 1, accuracy: 0.001)
            let steps = zip(heard, heard.dropFirst()).map { abs($1 - $0) }
            XCTAssertLessThan(steps.max() ?? 0, bound, "blocks of \(size)")
        }
    }

    /// A bypass has the delay too: what is dry is as late as what is wet, and neither begins with a gap.
    func testABypassKeepsTheDelay() {
        for kind in [BlockRig.Kind.filter, .inPlaceFilter] {
            for (size, quantum) in [(1000, 256), (64, 256), (4096, 1000), (10_000, 441)] {
                let rig = BlockRig(kind, blockSize: size, gain: 1)
                let start = rig.position
                var (heard, calls): ([Float], Int) = ([], 0)
                func run(_ frames: Int) {
                    let count = heard.count
                    while heard.count < count + frames { heard += rig.run(quantum)[0] }
                }
                run(3 * size)
                for round in 0..<3 {
                    rig.setBypassed(true)
                    run(2 * size + 2000)
                    _ = rig.takeCalls()
                    run(2 * size)
                    XCTAssertEqual(rig.takeCalls().count, 0, "the block is not called")
                    rig.setBypassed(false)
                    run(2 * size + 2000)
                    rig.publish()
                    run(size)
                    let seen = rig.takeCalls()
                    XCTAssertEqual(seen.first?.isDiscontinuous, true)
                    assertSteady(seen, rig)
                    calls += seen.count
                    XCTAssertGreaterThan(calls, round)
                }
                XCTAssertEqual(rig.delay, size - BlockDelayTests.divisor(size, quantum))
                let expected = (0..<UInt64(heard.count)).map { frame in
                    frame < UInt64(rig.delay) ? 0 : BlockRig.sound(at: start + frame - UInt64(rig.delay), channel: 0)
                }
                // Both sides of a crossfade are the same sound, so but for rounding nothing is seen of it.
                let difference = zip(heard, expected).map { abs($0 - $1) }.max() ?? 1
                XCTAssertLessThan(difference, 0.05, "blocks of \(size) in cycles of \(quantum), \(kind)")
            }
        }
    }

    // MARK: Fades

    /// Checks that a filter which is connected again gives what a new one would.
    private func assertBeginsAnew(_ rig: BlockRig, quantum: Int, line: UInt = #line) {
        rig.reconnect()
        rig.position += 10_000
        let new = BlockRig(rig.kind, blockSize: rig.blockSize, fade: .standard)
        new.sampleRate = rig.sampleRate
        new.position = rig.position
        new.extraNanoseconds = rig.extraNanoseconds
        for _ in 0..<8 { XCTAssertTrue(rig.run(quantum)[0] == new.run(quantum)[0], line: line) }
    }

    func testADecayThatHasEndedDoesNotGoOnAtAHigherRate() {
        let rig = BlockRig(.filter, blockSize: 512, fade: .standard)
        for _ in 0..<4 { rig.run(512) }
        // A gap of 256 frames, which is longer than a fade, and shorter than one at the next rate.
        rig.run(256)
        XCTAssertEqual(rig.delay, 256)
        rig.sampleRate = 96_000
        rig.extraNanoseconds = 1_000_000_000
        assertBeginsAnew(rig, quantum: 256)
    }

    func testADecayThatAPauseInterruptsDoesNotGoOn() {
        let rig = BlockRig(.filter, blockSize: 1024, fade: .standard)
        for frames in [512, 256, 256, 256, 256] { rig.run(frames) }
        XCTAssertEqual(rig.delay, 768)
        // Sound is left out in a cycle that ends before the next block is full.
        for _ in 0..<200 where rig.delay > 512 { rig.run(512) }
        XCTAssertEqual(rig.delay, 512)
        assertBeginsAnew(rig, quantum: 512)
    }
}
