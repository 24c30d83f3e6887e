// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class AlignmentTests: XCTestCase {
    /// A click every 1000 frames of the time when it was made.
    private func clicks(_ rig: ReceiverRig, _ frames: Int, latency: Int) -> [Float] {
        (0..<frames).map { (Int(rig.position) + $0 - latency) % 1000 == 0 ? 1 : 0 }
    }

    private let latencies = [0, 1, 64, 480, 4_800, 48_000]

    /// Runs a rig for three seconds or so and notes when each click that was heard is said to have been made.
    private func positions(_ alignment: Alignment) -> [Int: [Int64]] {
        let rig = ReceiverRig(lanes: 6, width: 1, isSeparate: true, alignment: alignment, fade: .none)
        for (lane, latency) in latencies.enumerated() {
            rig.link(lane, source: UInt64(lane + 1), latency: latency...latency)
        }
        var heard: [Int: [Int64]] = [:]
        for frames in [64, 1000, 16, 8192, 333] + Array(repeating: 1024, count: 130) {
            let seen = rig.run(frames) { lane, _ in clicks(rig, frames, latency: latencies[lane]) }
            for (lane, block) in seen?.lanes ?? [:] {
                for frame in 0..<frames where block.channels[0][frame] != 0 {
                    heard[lane, default: []].append(block.source.timestamp.position + Int64(frame))
                }
            }
        }
        return heard
    }

    func testAlignedClicksFallOnTheSameFrameWhateverTheirLatency() {
        let rig = ReceiverRig(lanes: 6, width: 1, isSeparate: true, fade: .none)
        for (lane, latency) in latencies.enumerated() {
            rig.link(lane, source: UInt64(lane + 1), latency: latency...latency)
        }
        var count = 0
        for frames in [64, 1000, 16, 8192, 333] + Array(repeating: 1024, count: 130) {
            let start = Int(rig.position)
            guard let seen = rig.run(frames, { lane, _ in clicks(rig, frames, latency: latencies[lane]) }) else {
                return XCTFail("the block was not called")
            }
            let stamps = Set(seen.lanes.values.map(\.source.timestamp))
            XCTAssertEqual(stamps.count, 1, "all share one timestamp")
            XCTAssertEqual(stamps.first?.position, Int64(start) - 48_000)
            XCTAssertEqual(
                stamps.first?.time.nanoseconds, seen.cycle.startTime.nanoseconds - 1_000_000_000)
            for frame in 0..<frames where start + frame >= 48_000 {
                let samples = (0..<6).map { seen.lanes[$0]!.channels[0][frame] }
                XCTAssertEqual(Set(samples).count, 1, "frame \(start + frame): \(samples)")
                if samples[0] == 1 { count += 1 }
            }
        }
        XCTAssertGreaterThan(count, 90)
    }

    func testTimestampsAreTheTimesAtWhichClicksWereMade() {
        for alignment in [Alignment.synchronized, .immediate] {
            let heard = positions(alignment)
            XCTAssertEqual(heard.keys.sorted(), [0, 1, 2, 3, 4, 5])
            for (lane, positions) in heard {
                XCTAssertGreaterThan(positions.count, 90, "lane \(lane)")
                XCTAssertTrue(positions.allSatisfy { $0 % 1000 == 0 }, "lane \(lane): \(positions.prefix(5))")
            }
        }
    }

    func testImmediateSoundIsOffByItsLatency() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, alignment: .immediate, fade: .none)
        rig.link(0, source: 1, latency: 0...0)
        rig.link(1, source: 2, latency: 480...480)
        let seen = rig.run(1024) { lane, _ in clicks(rig, 1024, latency: lane == 0 ? 0 : 480) }
        XCTAssertEqual(seen?.lanes[0]?.channels[0].firstIndex(of: 1), 0)
        XCTAssertEqual(seen?.lanes[1]?.channels[0].firstIndex(of: 1), 480)
        XCTAssertEqual(seen?.lanes[0]?.source.timestamp.position, 0)
        XCTAssertEqual(seen?.lanes[1]?.source.timestamp.position, -480)
    }

    func testADiamondIsExactlySilent() {
        let rig = ReceiverRig(lanes: 2, width: 2, fade: .none)
        rig.link(0, source: 1, latency: 0...0)
        rig.link(1, source: 2, latency: 480...480)
        let noise = { (position: Int) in Float(sin(Double(position * position % 7919))) }
        for frames in [64, 1000, 16, 8192, 333, 1024] {
            let start = Int(rig.position)
            let seen = rig.run(frames) { lane, _ in
                (0..<frames).map { frame in
                    lane == 0 ? noise(start + frame) : start + frame >= 480 ? -noise(start + frame - 480) : 0
                }
            }
            XCTAssertEqual(seen?.mixTimestamp?.position, Int64(start) - 480)
            XCTAssertEqual(seen?.mix.flatMap { $0 }.first { $0 != 0 }, nil)
        }
    }

    func testALatencyThatChangesIsFollowedWithACrossfadeAndTheNewTimestamp() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 100...100)
        // A slope: a reading of D frames later is lower by D.
        let slope = { (start: Int, frames: Int) in (0..<frames).map { Float(start + $0) } }
        func run(_ frames: Int) -> ([Float], ReceivedSource) {
            let start = Int(rig.position)
            let seen = rig.run(frames) { lane, _ in slope(start, frames) }!
            return (seen.lanes[0]!.channels[0], seen.lanes[0]!.source)
        }
        _ = run(4096)
        var (block, source) = run(1024)
        XCTAssertEqual(block[0], 4096 - 100)
        XCTAssertEqual(source.timestamp.position, 4096 - 100)
        rig.setLatency(1000...1000, ofLane: 1)
        (block, source) = run(1024)
        XCTAssertEqual(source.timestamp.position, 5120 - 1000)
        // Ten milliseconds later the new delay stands, and on the way there is no step above the curve's.
        XCTAssertEqual(block[480], 5120 + 480 - 1000)
        XCTAssertEqual(block[0], 5120 - 100, accuracy: 10)
        let steepest = 900 * Float.pi / 2 / 480
        for frame in 1..<1024 { XCTAssertLessThanOrEqual(abs(block[frame] - block[frame - 1] - 1), steepest * 1.01) }
    }

    func testMissedFramesAreSilenceInTheDelayLineSoThatTheClockIsKept() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 2000...2000)
        let ones = { (frames: Int) in (0..<frames).map { Float(Int(rig.position) + $0 + 1) } }
        _ = rig.run(1024) { lane, _ in lane == 0 ? ones(1024) : nil }
        rig.miss(512)
        var all: [Float] = []
        for _ in 0..<4 {
            let start = Int(rig.position)
            let seen = rig.run(1024) { lane, _ in lane == 0 ? ones(1024) : nil }!
            for frame in 0..<1024 {
                let made = start + frame - 2000
                let sample = seen.lanes[0]!.channels[0][frame]
                let expected: Float = made < 0 || (1024..<1536).contains(made) ? 0 : Float(made + 1)
                XCTAssertEqual(sample, expected, "made at \(made)")
                all.append(sample)
            }
        }
        XCTAssertGreaterThan(all.filter { $0 != 0 }.count, 1500)
    }

    func testWhatIsOnItsWayComesOutAfterTheSourceHasGone() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 1500...1500)
        _ = rig.run(1024) { lane, _ in lane == 0 ? Array(repeating: 1, count: 1024) : nil }
        rig.unlink(0)
        let second = rig.run(1024) { _, _ in nil }
        XCTAssertEqual(second?.lanes[0]?.source.isConnected, false)
        XCTAssertEqual(second?.lanes[0]?.channels[0].firstIndex(of: 1), 1500 - 1024)
        let third = rig.run(1024) { _, _ in nil }
        XCTAssertEqual(third?.lanes[0]?.channels[0].lastIndex(of: 1), 1500 - 1024 - 1)
        let fourth = rig.run(1024) { _, _ in nil }
        XCTAssertNil(fourth?.lanes[0])
    }

    func testASourceThatComesToALaneDoesNotSayWhatTheLastOneDid() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 1500...1500)
        _ = rig.run(1024) { lane, _ in lane == 0 ? Array(repeating: 1, count: 1024) : nil }
        rig.unlink(0)
        rig.link(0, source: 3)
        for _ in 0..<3 {
            let seen = rig.run(1024) { lane, _ in lane == 0 ? Array(repeating: 0.5, count: 1024) : nil }
            XCTAssertEqual(seen?.lanes[0]?.source.id.serial, 3)
            XCTAssertEqual(seen?.lanes[0]?.channels[0].max().map { $0 <= 0.5 }, true)
        }
    }

    func testBeyondTheCapacityASourceHasATimestampOfItsOwn() {
        let rig = ReceiverRig(
            lanes: 2, width: 1, isSeparate: true, alignment: .synchronized(capacity: 1000), fade: .none)
        rig.link(0, source: 1, latency: 10...10)
        rig.link(1, source: 2, latency: 10...5000)
        let seen = rig.run(1024) { _, _ in Array(repeating: 1, count: 1024) }
        XCTAssertEqual(seen?.lanes[0]?.source.timestamp.position, -10)
        XCTAssertEqual(seen?.lanes[1]?.source.timestamp.position, -5000)
        XCTAssertEqual(seen?.lanes[1]?.source.isAligned, false)
        XCTAssertEqual(seen?.lanes[1]?.source.isLatencyUncertain, true)
        XCTAssertEqual(seen?.lanes[1]?.channels[0].first, 1)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 5000)
    }
}
