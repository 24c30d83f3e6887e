// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// Sources that give something else than numbers, beside others that do not.
final class InvalidSampleTests: XCTestCase {
    private let bad: [Float] = [.nan, -.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude]
    private let frames = 256

    private func constant(_ value: Float, badAt place: Int? = nil, _ bad: Float = .nan) -> [Float] {
        var block = [Float](repeating: value, count: frames)
        if let place { block[place] = bad }
        return block
    }

    func testOnlyTheBlockIsSilentAndOnlyThatSource() {
        for bad in bad {
            for place in [0, 100, 255] {
                let rig = ReceiverRig(width: 1, isSeparate: true, fade: .none)
                rig.link(0, source: 1)
                rig.link(1, source: 2)
                for cycle in 0..<6 {
                    let seen = rig.run(frames) { lane, _ in
                        lane == 0 ? constant(0.5) : constant(0.25, badAt: cycle == 3 ? place : nil, bad)
                    }
                    XCTAssertEqual(seen?.lanes[0]?.channels[0], constant(0.5))
                    XCTAssertEqual(seen?.lanes[1]?.channels[0], constant(cycle == 3 ? 0 : 0.25), "\(bad) at \(place)")
                }
                XCTAssertEqual(rig.memory.receiver?.invalidBlocks, 1)
            }
        }
    }

    func testAMixLosesNothingElseAndIsWholeAgainInTheNextCycle() {
        for fade in [Fade.none, .standard] {
            let rig = ReceiverRig(lanes: 3, width: 2, fade: fade, panLaw: .balance)
            for lane in 0..<3 { rig.link(lane, source: UInt64(lane + 1)) }
            for cycle in 0..<12 {
                // Another source comes at the same time, so that steady lanes and others are mixed.
                if cycle == 6 { rig.link(2, source: 9) }
                let isBad = [4, 6, 7].contains(cycle)
                let seen = rig.run(frames) { lane, channel in
                    constant(Float(1 << lane) / 8, badAt: isBad && lane == 1 && channel == 1 ? 7 : nil)
                }
                let mix = (seen?.mix ?? []).flatMap { $0 }
                XCTAssertFalse(mix.contains { !$0.isFinite }, "cycle \(cycle)")
                guard cycle > 2, fade == .none || ![6, 7].contains(cycle) else { continue }
                XCTAssertEqual(Set(mix), [isBad ? 0.625 : 0.875], "cycle \(cycle)")
            }
            XCTAssertEqual(rig.memory.receiver?.invalidBlocks, 3)
        }
    }

    func testItIsFoundAndTakenOutOfADelayLine() {
        let rig = ReceiverRig(lanes: 3, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 1000...1000)
        for cycle in 0..<12 {
            let seen = rig.run(frames) { lane, _ in
                lane == 0 ? constant(0.5, badAt: cycle == 5 ? 9 : nil) : constant(0.25)
            }
            let heard = seen?.lanes[0]?.channels[0] ?? []
            XCTAssertTrue(heard.allSatisfy(\.isFinite))
            // Frame 9 of cycle 5 comes 1000 frames later.
            XCTAssertEqual(heard.allSatisfy { $0 == 0 }, cycle == (5 * frames + 1009) / frames || cycle < 3, "\(cycle)")
            XCTAssertEqual(seen?.lanes[1]?.channels[0], constant(0.25))
        }
        XCTAssertEqual(rig.memory.receiver?.invalidBlocks, 1)
        // Its place is read a second time.
        rig.link(2, source: 3, latency: 3000...3000)
        for _ in 0..<20 {
            let seen = rig.run(frames) { _, _ in constant(0.5) }
            XCTAssertEqual(seen?.lanes[0]?.channels[0].allSatisfy(\.isFinite), true)
        }
        XCTAssertEqual(rig.memory.receiver?.invalidBlocks, 1)
    }

    /// While a crossfade between two delays runs, two places of the line are cleared. Later only one.
    func testOnlyTheBlockIsSilentLongAfterACrossfade() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        for _ in 0..<4 { _ = rig.run(frames) { _, _ in constant(0.5) } }
        rig.link(1, source: 2, latency: 1000...1000)
        for _ in 0..<20 { _ = rig.run(frames) { _, _ in constant(0.5) } }
        var heard: [Float] = []
        for cycle in 0..<20 {
            let seen = rig.run(frames) { lane, _ in constant(0.5, badAt: lane == 0 && cycle == 5 ? 9 : nil) }
            heard += seen?.lanes[0]?.channels[0] ?? []
        }
        XCTAssertEqual(heard.count, 20 * frames)
        XCTAssertEqual(heard.count { $0 == 0 }, frames)
        XCTAssertEqual(heard.count { $0 == 0.5 }, 19 * frames)
        XCTAssertEqual(rig.memory.receiver?.invalidBlocks, 1)
    }

    func testNothingOfItDiesAwayUnderTheNextSource() {
        for isDelayed in [false, true] {
            let rig = ReceiverRig(width: 1, isSeparate: true)
            rig.link(0, source: 1)
            rig.link(1, source: 2, latency: isDelayed ? 600...600 : 0...0)
            for _ in 0..<6 { _ = rig.run(frames) { _, _ in constant(0.5) } }
            // Its last sample of all.
            _ = rig.run(frames) { lane, _ in constant(0.5, badAt: lane == 0 ? frames - 1 : nil) }
            rig.link(0, source: 3)
            var heard: [Float] = []
            for _ in 0..<8 { heard += rig.run(frames) { _, _ in constant(0.25) }?.lanes[0]?.channels[0] ?? [] }
            XCTAssertTrue(heard.allSatisfy(\.isFinite))
            XCTAssertEqual(heard.last, 0.25)
            XCTAssertLessThanOrEqual(rig.memory.receiver?.invalidBlocks ?? 0, isDelayed ? 3 : 1)
        }
    }

    /// The rest of a stereo source, bad on the right, under a mono one, which is measured on the left alone.
    func testTheRestOfAStereoSourceUnderAMonoOne() {
        let rig = ReceiverRig(lanes: 2, width: 2, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 600...600)
        for cycle in 0..<8 {
            _ = rig.run(frames) { lane, channel in
                constant(0.5, badAt: cycle == 7 && lane == 0 && channel == 1 ? 20 : nil)
            }
        }
        rig.link(0, source: 3, outputs: 1)
        for _ in 0..<8 {
            let seen = rig.run(frames) { _, _ in constant(0.25) }
            XCTAssertEqual(seen?.mix.joined().allSatisfy(\.isFinite), true)
        }
    }

    func testTheMetersLeadToItAndShowNothingElseOfIt() {
        let rig = ReceiverRig(width: 1, fade: .none, panLaw: .balance)
        rig.link(0, source: 1)
        rig.link(1, source: 2)
        let board = rig.memory.receiver!.meters
        func meter(_ lane: Int?) -> LevelMeter { board.reading(lane: lane, since: .max) }
        for cycle in 0..<200 {
            let seen = rig.run(frames) { lane, _ in
                lane == 0 ? constant(0.5) : constant(0.25, badAt: cycle == 50 ? 3 : nil, .infinity)
            }
            XCTAssertEqual(meter(0).heldPeak, 0.5)
            XCTAssertEqual(meter(1).heldPeak, 0.25)
            XCTAssertEqual(meter(0).rms, 0.5, accuracy: 1e-5)
            XCTAssertTrue(meter(1).rms <= 0.2501)
            XCTAssertEqual(seen?.meter?.heldPeak, 0.75)
            XCTAssertEqual(meter(0).hasInvalidSamples, false)
            XCTAssertEqual(meter(1).hasInvalidSamples, cycle >= 50)
            XCTAssertEqual(meter(nil).hasInvalidSamples, false)
        }
        // Two seconds later it is forgotten, and another source never had it.
        for _ in 0..<400 { _ = rig.run(frames) { _, _ in constant(0.25) } }
        XCTAssertFalse(meter(1).hasInvalidSamples)
        _ = rig.run(frames) { _, _ in constant(.nan) }
        XCTAssertTrue(meter(1).hasInvalidSamples)
        rig.link(1, source: 3)
        _ = rig.run(frames) { _, _ in constant(0.25) }
        XCTAssertFalse(meter(1).hasInvalidSamples)
    }

    func testALargeNumberIsANumber() {
        let rig = ReceiverRig(lanes: 1, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        let seen = rig.run(frames) { _, _ in constant(9e17) }
        XCTAssertEqual(seen?.lanes[0]?.channels[0], constant(9e17))
        XCTAssertEqual(rig.memory.receiver?.invalidBlocks, 0)
        XCTAssertTrue(rig.memory.receiver!.meters.reading(lane: 0, since: .max).rms.isFinite)
    }

    /// Which source it was is known, also when another one has come to its lane meanwhile.
    func testItIsAnnouncedOnceForEachSource() {
        let rig = ReceiverRig(width: 1)
        rig.link(0, source: 1, named: "good")
        rig.link(1, source: 2, named: "bad")
        var now = SuspendingClock.now
        func announced(_ badLanes: Set<Int>, cycles: Int = 1, after pause: Duration = .milliseconds(500)) -> [String] {
            for _ in 0..<cycles {
                _ = rig.run(frames) { lane, _ in constant(badLanes.contains(lane) ? .nan : 0.25) }
            }
            now += pause
            return rig.control.takeInvalidSources(at: now).map { $0.identity?.nodeName ?? "" }
        }
        XCTAssertEqual(announced([]), [])
        XCTAssertEqual(announced([1], cycles: 50), ["bad"])
        for _ in 0..<30 { XCTAssertEqual(announced([1]), []) }
        XCTAssertEqual(announced([]), [])
        XCTAssertEqual(announced([1]), [], "it may come in bursts")
        XCTAssertEqual(announced([], after: .seconds(20)), [])
        XCTAssertEqual(announced([1]), ["bad"], "it has begun again")
        _ = rig.run(frames) { lane, _ in constant(lane == 1 ? .nan : 0.25) }
        rig.link(1, source: 3, named: "next")
        XCTAssertEqual(announced([]), [], "it was announced")
        XCTAssertEqual(announced([0, 1]), ["good", "next"])
        rig.unlink(0)
        XCTAssertEqual(announced([]), [])
    }
}
