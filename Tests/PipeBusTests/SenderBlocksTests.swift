// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// A sender with blocks of a fixed size, on the real audio side.
final class SenderBlocksTests: XCTestCase {
    private func sound(_ positions: Range<UInt64>, channel: Int = 0) -> [Float] {
        positions.map { BlockRig.sound(at: $0, channel: channel) }
    }

    /// Every frame leaves at the position for which it was made, from the first one on.
    func testEachFrameLeavesAtItsPosition() {
        var generator = SeededGenerator(seed: 5)
        for size in [1, 7, 441, 1000, 1024, 10_000, 65_536] {
            for quantum in [17, 441, 1000, 1024, 8192, 0] {
                let rig = BlockRig(.sender, blockSize: size, channels: 2)
                let start = rig.position
                var ahead = 0
                // As many cycles as there are phases, if they are not too many.
                let phases = quantum == 0 ? .max : size / BlockDelayTests.divisor(size, quantum)
                let cycles = phases <= 1024 ? max(phases, 3 * size / quantum) + 3 : 60
                for _ in 0..<cycles {
                    let frames = quantum == 0 ? Int.random(in: 1...3000, using: &generator) : quantum
                    let from = rig.position
                    let heard = rig.run(frames)
                    for channel in 0..<2 {
                        XCTAssertTrue(
                            heard[channel] == sound(from..<rig.position, channel: channel),
                            "blocks of \(size) in cycles of \(frames)")
                    }
                    let calls = rig.takeCalls()
                    for (index, call) in calls.enumerated() {
                        XCTAssertEqual((call.position - start) % UInt64(size), 0)
                        XCTAssertTrue((from..<rig.position).contains(call.position), "it is called when it is needed")
                        XCTAssertEqual(call.frameCount, size)
                        XCTAssertEqual(call.isDiscontinuous, call.position == start && index == 0)
                        let time = Int64(rig.time(of: call.position)) - Int64(call.startTime.nanoseconds)
                        XCTAssertTrue((0...1).contains(time), "\(time) ns")
                        ahead = max(ahead, Int(call.position) + size - Int(rig.position))
                    }
                }
                let name = "blocks of \(size) in cycles of \(quantum)"
                XCTAssertLessThanOrEqual(ahead, rig.delay, name)
                if quantum > 0 {
                    XCTAssertEqual(rig.delay, size - BlockDelayTests.divisor(size, quantum), name)
                    if phases <= 1024 { XCTAssertEqual(ahead, rig.delay, name) }
                }
            }
        }
    }

    func testFramesThatWereMadeForAMissedTimeAreLost() {
        for (missed, seen) in [(300, 0), (700, 0), (800, 100), (5000, 4300)] {
            let rig = BlockRig(.sender, blockSize: 1000)
            rig.run(300)
            XCTAssertEqual(rig.takeCalls().count, 1)
            // 700 frames are kept.
            rig.position += UInt64(missed)
            var heard: [Float] = []
            let start = rig.position
            for _ in 0..<10 { heard += rig.run(300)[0] }
            XCTAssertTrue(heard == sound(start..<start + 3000), "\(missed) frames were missed")
            let calls = rig.takeCalls()
            XCTAssertEqual(calls.map(\.missedFrames), [seen] + Array(repeating: 0, count: calls.count - 1))
            XCTAssertEqual(calls.first?.isDiscontinuous, seen > 0, "\(missed) frames were missed")
            XCTAssertEqual(calls.dropFirst().contains(where: \.isDiscontinuous), false)
            XCTAssertEqual(calls.first.map { Int($0.position) }, 4096 + 1000 + seen)
        }
    }

    func testAfterAPauseItBeginsAgain() {
        let rig = BlockRig(.sender, blockSize: 1000)
        for _ in 0..<5 { rig.run(441) }
        rig.reconnect()
        rig.position += 12_345
        _ = rig.takeCalls()
        let start = rig.position
        XCTAssertTrue(rig.run(500)[0] == sound(start..<start + 500))
        let call = rig.takeCalls().first
        XCTAssertEqual(call?.position, start)
        XCTAssertEqual(call?.isDiscontinuous, true)
        XCTAssertEqual(call?.missedFrames, 0)
        XCTAssertEqual(rig.delay, 500)
    }

    /// A clock that does not count: the sound goes on.
    func testItGoesOnWhilePositionsStandStill() {
        let rig = BlockRig(.sender, blockSize: 100)
        for cycle in 0..<30 {
            XCTAssertFalse(rig.run(64)[0].contains { $0 == 0.7 || $0 == 0 }, "cycle \(cycle)")
            rig.position -= 64
            rig.extraNanoseconds += 64 * 1_000_000_000 / 48_000
        }
        let calls = rig.takeCalls()
        XCTAssertEqual(calls.count, 20)
        XCTAssertFalse(calls.contains { !$0.isDiscontinuous })
        XCTAssertTrue(calls.allSatisfy { (4096..<4160).contains($0.position) })
    }

    /// What is made ahead is older when it leaves only if it was made elsewhere.
    func testLatencyThatIsAddedToAPort() throws {
        let blocks = BlockMemory(.sender(outputs: 1), blockSize: 4096)
        XCTAssertEqual(blocks.addedFrames, 3072, "as in the usual cycles")
        var sender = PortDeclaration(kind: .sender, name: "out", latency: 10)
        XCTAssertEqual(sender.ownFrames(withBlocks: blocks), 10)
        sender.isLiveSource = true
        XCTAssertEqual(sender.ownFrames(withBlocks: blocks), 3082)
        sender.isLiveSource = false
        sender.latency = .following("in", plus: 20)
        XCTAssertEqual(sender.ownFrames(withBlocks: blocks), 3092)
        var filter = PortDeclaration(kind: .filter, name: "fx", latency: 5)
        let gathering = BlockMemory(.filter(inputs: 1, outputs: 1), blockSize: 3)
        XCTAssertEqual(filter.ownFrames(withBlocks: gathering), 7)
        filter.latency = 1_048_576
        XCTAssertEqual(filter.ownFrames(withBlocks: gathering), 1_048_576)
        XCTAssertEqual(filter.ownFrames(withBlocks: nil), 1_048_576)
        for size in [0, -1, 65_537, .max, .min] {
            XCTAssertThrowsError(try PortChecks.check(blockSize: size)) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            }
        }
        for size in [nil, 1, 65_536] { XCTAssertNoThrow(try PortChecks.check(blockSize: size)) }
    }
}
