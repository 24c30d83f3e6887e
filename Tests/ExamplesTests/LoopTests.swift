// SPDX-License-Identifier: MIT
import XCTest

@testable import looper

/// The looper's loop, without a graph.
final class LoopTests: XCTestCase {
    private func interleaved(_ frames: Range<Int>) -> [Float] { frames.flatMap { [Float($0), Float(-$0)] } }

    func testTheKeyRecordsPlaysAndOverdubs() async {
        let loop = Loop(length: nil)
        var block = interleaved(1..<101)
        await loop.pass(&block, madeAt: 0, heardAt: 30, rate: 8_000)
        XCTAssertEqual(block, [Float](repeating: 0, count: 200), "nothing is recorded yet")
        await loop.press()
        block = interleaved(1..<101)
        await loop.pass(&block, madeAt: 100, heardAt: 130, rate: 8_000)
        XCTAssertFalse(block.contains { $0 != 0 })
        await loop.press()
        // Two and a half rounds, from the frame on that the loop would be at.
        block = [Float](repeating: 7, count: 500)
        await loop.pass(&block, madeAt: 200, heardAt: 230, rate: 8_000)
        XCTAssertEqual(block, interleaved(31..<101) + interleaved(1..<101) + interleaved(1..<81))
        // What a player adds belongs to what was played 30 frames ago.
        await loop.press()
        block = [Float](repeating: 0, count: 100)
        (block[0], block[1]) = (-10, 15)
        await loop.pass(&block, madeAt: 450, heardAt: 480, rate: 8_000)
        XCTAssertEqual(block, interleaved(81..<101) + interleaved(1..<31))
        await loop.press()
        block = [Float](repeating: 0, count: 200)
        // After what was played before, where nothing says when it is heard.
        await loop.pass(&block, madeAt: 500, heardAt: nil, rate: 8_000)
        var expected = interleaved(31..<101) + interleaved(1..<31)
        expected[2 * 20] -= 10
        expected[2 * 20 + 1] += 15
        XCTAssertEqual(block, expected)
    }

    /// Where the sound had run out, the loop leaves out as much, without a step.
    func testTheLoopStaysInTimeWhenItWasLate() async {
        let loop = Loop(length: 0.1)
        var block = (0..<4800).flatMap { [Float($0), Float($0)] }
        block[0] = 1
        await loop.pass(&block, madeAt: 1000, heardAt: 1000, rate: 48_000)
        block = [Float](repeating: 0, count: 200)
        await loop.pass(&block, madeAt: 5800, heardAt: 5800, rate: 48_000)
        XCTAssertEqual(block[2], 1)
        // Half a thousand frames later than the block before ended.
        await loop.pass(&block, madeAt: 6400, heardAt: 6400, rate: 48_000)
        XCTAssertEqual(block[0], 100, accuracy: 6)
        XCTAssertEqual(block[198], 699)
        for frame in 1..<100 { XCTAssertEqual(block[2 * frame] - block[2 * frame - 2], 6, accuracy: 0.01) }
        await loop.pass(&block, madeAt: 6500, heardAt: 6500, rate: 48_000)
        XCTAssertEqual(block[0], 700)
    }

    /// But none ends a recording before it is 10 ms long: a source that is added to a shorter one would be at full scale at once.
    func testKeysThatComeAtOnceCountOneByOne() async {
        for (rate, blocks) in [(48_000, 4), (8_000, 1), (0, 1)] {
            let loop = Loop(length: nil)
            var states: [Loop.State] = []
            for _ in 0..<4 { await loop.press() }
            for pass in 0..<(blocks + 4) {
                var block = interleaved(1..<129)
                await loop.pass(&block, madeAt: 128 * pass, heardAt: 128 * pass, rate: rate)
                states.append(await loop.state)
            }
            let recording = [Loop.State](repeating: .recording, count: blocks)
            XCTAssertEqual(states, recording + [.playing, .overdubbing, .playing, .playing], "\(rate) Hz")
            let frames = await loop.frames.count
            XCTAssertEqual(frames, blocks * 128, "\(rate) Hz")
        }
    }

    func testWhatIsOverdubbedStaysAtFullScale() async {
        let loop = Loop(length: 0.01)
        var block = (0..<480).flatMap { [$0 == 7 ? 1.5 : 0.25, -0.5] as [Float] }
        await loop.pass(&block, madeAt: 0, heardAt: 0, rate: 48_000)
        await loop.press()
        var heard: [[Float]] = []
        for round in 1..<8 {
            block = (0..<480).flatMap { $0 == 7 ? [0.5, 0] : [0.5, -0.25] as [Float] }
            await loop.pass(&block, madeAt: 480 * round, heardAt: 480 * round, rate: 48_000)
            heard.append(block)
        }
        XCTAssertEqual(heard[0][..<4], [0.75, -0.75, 0.75, -0.75])
        XCTAssertEqual(heard[6][..<4], [1, -1, 1, -1])
        XCTAssertEqual(heard[6][14], 1.5, "as loud as it was recorded")
    }

    /// The beginning is a time without a source, whose positions say little.
    func testTheEndOfARecordingSaysWhereItBelongs() async {
        let loop = Loop(length: 0.1)
        await loop.press()
        var block = [Float](repeating: 0, count: 2 * 2400)
        await loop.pass(&block, madeAt: -2048, heardAt: 9000, rate: 48_000)
        block = interleaved(1..<2401)
        await loop.pass(&block, madeAt: 10_000, heardAt: 11_400, rate: 48_000)
        block = [Float](repeating: 0, count: 2 * 100)
        // A round after the frame that was made at 10 000.
        await loop.pass(&block, madeAt: 12_400, heardAt: 14_800, rate: 48_000)
        XCTAssertEqual(Array(block.suffix(2)), interleaved(100..<101))
    }

    func testTheFirstSoundBeginsALoopOfAGivenLength() async {
        let loop = Loop(length: 0.001)
        var block = [Float](repeating: 0, count: 20) + [0, 5] + interleaved(1..<100)
        await loop.pass(&block, madeAt: 0, heardAt: 0, rate: 48_000)
        let frames = await loop.frames.count
        XCTAssertEqual(frames, 48)
        XCTAssertEqual(block[..<(20 + 96)], [Float](repeating: 0, count: 116)[...])
        XCTAssertEqual(Array(block[116..<(116 + 96)]), [0, 5] + interleaved(1..<48))
    }
}
