// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// Random courses of clocks, compared with a model that knows when another clock begins because it made it begin.
final class GraphTimelinePropertyTests: XCTestCase {
    private enum Event: CaseIterable {
        case next, nextToo, nextAgain, missed, again, otherID, backwards, otherSession, standstill, ahead, otherRate,
            away
    }

    /// The last cycle as the model sees it.
    private struct Course {
        var id: UInt32 = 1
        var raw: UInt64
        var time: UInt64
        var frames: UInt32
        var rate: UInt32
        /// The app's position, and what it would be if no clock had begun early.
        var position: Double
        var ideal: Double
    }

    func testRandomCourses() {
        for seed in 0..<400 as Range<UInt64> { run(seed) }
    }

    private func run(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rig = TimelineRig()
        rig.rate = [8000, 44_100, 48_000, 96_000, 192_000].randomElement(using: &random)!
        rig.frames = UInt32.random(in: 1...8192, using: &random)
        var now = Course(
            raw: UInt64.random(in: 0...1 << 50, using: &random), time: UInt64.random(in: 1...1 << 50, using: &random),
            frames: rig.frames, rate: rig.rate, position: 0, ideal: 0)
        var last = rig.come(at: now.raw, nanoseconds: now.time, id: now.id, isFreewheeling: false)
        XCTAssertEqual(last.position, now.raw)
        (now.position, now.ideal) = (Double(now.raw), Double(now.raw))
        for _ in 0..<500 {
            let event = Event.allCases.randomElement(using: &random)!
            rig.frames = UInt32.random(in: 1...8192, using: &random)
            let before = now
            let isNew = advance(&now, event, &rig, &random)
            let moment = rig.come(at: now.raw, nanoseconds: now.time, id: now.id, isFreewheeling: false)
            guard check(moment, after: last, isNew: isNew, before, &now) else {
                return XCTFail("seed \(seed): \(event) from \(before) to \(now): \(last), then \(moment)")
            }
            last = moment
        }
    }

    /// - Returns: whether another clock begins.
    private func advance(
        _ now: inout Course, _ event: Event, _ rig: inout TimelineRig, _ random: inout SeededGenerator
    ) -> Bool {
        let last = now
        // The time of the driver is right to 20 ms.
        func pass(_ frames: UInt64) {
            now.time += UInt64((Double(frames) * 1e9 / Double(rig.rate)).rounded())
        }
        now.frames = rig.frames
        let cycle = UInt64(last.frames)
        switch event {
        case .next, .nextToo, .nextAgain:
            now.raw += cycle
            pass(cycle)
            now.time += UInt64.random(in: 0...20_000_000, using: &random)
        case .missed, .away:
            let frames = cycle + UInt64.random(in: 1...(event == .missed ? 100_000 : 1 << 36), using: &random)
            now.raw += frames
            pass(frames)
        case .again: now.time += UInt64.random(in: 0...20_000_000, using: &random)
        case .otherID:
            now.id = last.id ^ UInt32.random(in: 1...3, using: &random)
            now.raw = UInt64.random(in: 0...1 << 50, using: &random)
            now.time = UInt64(Int64(now.time) + Int64.random(in: -10_000_000...500_000_000, using: &random))
        case .backwards:
            now.raw -= min(
                now.raw, UInt64.random(in: 1...(Bool.random(using: &random) ? 4096 : 1 << 40), using: &random))
            pass(cycle)
        case .otherSession:
            rig.endSession()
            if Bool.random(using: &random) { now.raw = UInt64.random(in: 0...1 << 50, using: &random) }
            now.time += UInt64.random(in: 0...60_000_000_000, using: &random)
        case .standstill, .ahead:
            let frames = UInt64.random(in: 0...1 << 22, using: &random)
            // More than two of the longest cycles and 100 ms.
            let error =
                UInt64(rig.rate) / 10 + 16_384 + 2 + frames / 500 + UInt64.random(in: 0...1 << 24, using: &random)
            now.raw += frames + (event == .ahead ? error + error / 500 : 0)
            pass(frames + (event == .ahead ? 0 : error + error / 500))
        case .otherRate:
            rig.rate = [8000, 44_100, 48_000, 96_000, 192_000].randomElement(using: &random)!
            now.raw += cycle
            pass(cycle)
            // PipeWire moves the position by less than a cycle, in either direction.
            let move = Int64.random(in: -256...768, using: &random)
            now.raw = UInt64(Int64(now.raw) + move)
        }
        now.rate = rig.rate
        return now.id != last.id || now.raw < last.raw || now.rate != last.rate
            || [.otherID, .backwards, .otherSession, .standstill, .ahead].contains(event)
    }

    private func check(
        _ moment: GraphMoment, after last: GraphMoment, isNew: Bool, _ before: Course, _ now: inout Course
    ) -> Bool {
        guard moment.position >= last.position else { return false }
        guard isNew else {
            let step = now.raw - before.raw
            now.position += Double(step)
            now.ideal += Double(step)
            return moment == GraphMoment(position: last.position + step, clock: last.clock)
        }
        let end = before.position + Double(before.frames)
        // From the end of the last cycle on, in frames of the present rate.
        let (rate, lastRate) = (Double(now.rate), Double(before.rate))
        let passed = Double(Int64(now.time) - Int64(before.time)) / 1e9 - Double(before.frames) / lastRate
        now.ideal = end + passed * rate - (before.position - before.ideal) * rate / lastRate
        now.position = max(end, now.ideal)
        guard moment.clock == last.clock + 1, moment.position >= last.position + UInt64(before.frames),
            abs(Double(moment.position) - now.position) <= 4
        else { return false }
        // A clock that begins late begins at a whole frame. That must not add up here.
        now.position = Double(moment.position)
        if now.ideal > end - 0.6 { now.ideal = now.position }
        return true
    }

    /// A driver may say anything. Nothing may trap, and positions never decrease.
    func testNonsenseIsSurvived() {
        let extremes: [UInt64] = [0, 1, 1 << 62, 1 << 63, (1 << 63) - 1, .max, .max - 1, 8192, 1 << 56]
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var rig = TimelineRig()
            func any() -> UInt64 {
                Bool.random(using: &random)
                    ? extremes.randomElement(using: &random)! : UInt64.random(in: 0...UInt64.max, using: &random)
            }
            var last = GraphMoment(position: 0, clock: 0)
            for _ in 0..<2000 {
                rig.frames = UInt32.random(in: 1...8192, using: &random)
                rig.rate = max(1, UInt32(truncatingIfNeeded: any()))
                if Int.random(in: 0..<100, using: &random) == 0 { rig.endSession() }
                let moment = rig.come(
                    at: any(), nanoseconds: any(), id: UInt32.random(in: 0...1, using: &random),
                    isFreewheeling: Bool.random(using: &random))
                XCTAssertGreaterThanOrEqual(moment.position, last.position)
                XCTAssertGreaterThanOrEqual(moment.clock, last.clock)
                last = moment
            }
        }
    }
}
