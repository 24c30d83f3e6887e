// SPDX-License-Identifier: MIT
import Foundation
import XCTest

@testable import PipeBus

final class LevelTests: XCTestCase {
    // MARK: Values

    func testAValueOutOfRangeIsClamped() {
        XCTAssertEqual(Source.Level(volume: 7, pan: -9), Source.Level(volume: 1, pan: -1))
        XCTAssertEqual(Source.Level(volume: -.infinity, pan: .infinity), Source.Level(volume: 0, pan: 1))
        XCTAssertEqual(Source.Level(volume: .nan, pan: .nan), Source.Level())
        var level = Source.Level()
        level.volume = -1
        level.pan = 2
        XCTAssertEqual(level, Source.Level(volume: 0, pan: 1))
    }

    func testAVolumeInDecibels() {
        var level = Source.Level()
        XCTAssertEqual(level.volumeInDecibels, 0)
        let cases: [(Double, Double)] = [(-20, 0.1), (-6, pow(10, -0.3)), (-120, 1e-6), (-.infinity, 0), (0, 1)]
        for (decibels, volume) in cases {
            level.volumeInDecibels = decibels
            XCTAssertEqual(level.volume, volume, accuracy: 1e-15)
            if decibels.isFinite { XCTAssertEqual(level.volumeInDecibels, decibels, accuracy: 1e-12) }
            XCTAssertEqual(LevelChange.volume(decibels: decibels), .volume(level.volume))
        }
        XCTAssertEqual(Source.Level(volume: 0).volumeInDecibels, -.infinity)
        for decibels: Double in [0.1, 300, .infinity] {
            level.volume = 0.5
            level.volumeInDecibels = decibels
            XCTAssertEqual(level.volume, 1)
            XCTAssertEqual(LevelChange.volume(decibels: decibels), .volume(1))
        }
    }

    func testNaNChangesNothing() {
        var level = Source.Level(volume: 0.25, pan: -0.5)
        level.volume = .nan
        level.volumeInDecibels = .nan
        level.pan = .nan
        for change in [LevelChange.volume(.nan), .volume(decibels: .nan), .pan(.nan)] { change.apply(to: &level) }
        XCTAssertEqual(level, Source.Level(volume: 0.25, pan: -0.5))
    }

    func testThePanLaws() {
        for law in PanLaw.allCases {
            XCTAssertEqual(law.gains(pan: -1).left, 1)
            XCTAssertEqual(law.gains(pan: -1).right, 0)
            XCTAssertEqual(law.gains(pan: 1).left, 0)
            XCTAssertEqual(law.gains(pan: 1).right, 1)
            for pan in stride(from: -1.0, through: 1, by: 0.125) {
                let gains = law.gains(pan: pan)
                let mirrored = law.gains(pan: -pan)
                XCTAssertEqual(gains.left, mirrored.right, accuracy: 1e-12)
                switch law {
                case .constantPower:
                    XCTAssertEqual(gains.left * gains.left + gains.right * gains.right, 1, accuracy: 1e-12)
                case .linear: XCTAssertEqual(gains.left + gains.right, 1, accuracy: 1e-12)
                case .minus4Point5dB, .balance: XCTAssertEqual(max(gains.left, gains.right) <= 1, true)
                }
            }
        }
        XCTAssertEqual(20 * log10(PanLaw.constantPower.gains(pan: 0).left), -3.01, accuracy: 0.01)
        XCTAssertEqual(20 * log10(PanLaw.minus4Point5dB.gains(pan: 0).left), -4.51, accuracy: 0.01)
        XCTAssertEqual(20 * log10(PanLaw.linear.gains(pan: 0).left), -6.02, accuracy: 0.01)
        XCTAssertEqual(PanLaw.balance.gains(pan: 0).left, 1)
    }

    func testSavedLevelsComeBackAsTheyWere() throws {
        var levels = SourceLevels()
        let tone = Source.Identity(applicationID: "org.example.tone", nodeName: "Tone.out")
        let foreign = Source.Identity(applicationID: nil, nodeName: "jack \"thing\"")
        levels[tone] = Source.Level(volume: 0.25, pan: -0.5, isMuted: true)
        levels[foreign] = Source.Level(volume: 1, isSoloed: true)
        let data = try JSONEncoder().encode(levels)
        let back = try JSONDecoder().decode(SourceLevels.self, from: data)
        XCTAssertEqual(back, levels)
        XCTAssertEqual(back[tone].pan, -0.5)
        XCTAssertEqual(Set(back.sources), [tone, foreign])
        levels[tone] = Source.Level()
        XCTAssertEqual(levels.sources, [foreign], "the default needs no place")
    }

    func testSavedLevelsFromElsewhereAreClampedAndWhatIsMissingIsTheDefault() throws {
        let json =
            #"{"sources":[{"source":{"nodeName":"a"},"level":{"volume":44}},{"source":{"nodeName":"b"},"level":{"pan":-3}}]}"#
        let levels = try JSONDecoder().decode(SourceLevels.self, from: Data(json.utf8))
        XCTAssertEqual(levels[Source.Identity(applicationID: nil, nodeName: "a")], Source.Level())
        XCTAssertEqual(levels[Source.Identity(applicationID: nil, nodeName: "b")], Source.Level(volume: 1, pan: -1))
        XCTAssertThrowsError(try JSONDecoder().decode(SourceLevels.self, from: Data("{}".utf8)))
    }

    // MARK: Sound

    private func ones(_ lane: Int, _ channel: Int) -> [Float]? { Array(repeating: 1, count: 1024) }

    func testASourceThatGoesAndComesBackFindsItsLevel() {
        let rig = ReceiverRig(fade: .none)
        rig.link(0, source: 1, named: "Tone.out")
        rig.setLevel(Source.Level(volume: 0.5), ofLane: 0)
        for _ in 0..<2 { _ = rig.run(1024, ones) }
        XCTAssertEqual(rig.run(1024, ones)?.mix[0].last, 0.5)
        rig.unlink(0)
        _ = rig.run(1024) { _, _ in nil }
        // On another lane, with another serial, at its own level from its first frame on.
        rig.link(1, source: 9, named: "Tone.out")
        let seen = rig.run(1024) { lane, channel in lane == 1 ? ones(lane, channel) : nil }
        XCTAssertEqual(seen?.mix[0].first, 0.5)
    }

    func testASoloSilencesTheOthersAndAMuteEverything() {
        let rig = ReceiverRig(lanes: 3, fade: .none)
        for lane in 0..<3 { rig.link(lane, source: UInt64(lane + 1)) }
        func settled() -> Float? {
            for _ in 0..<2 { _ = rig.run(1024, ones) }
            return rig.run(1024, ones)?.mix[0].last
        }
        XCTAssertEqual(settled(), 3)
        rig.setLevel(Source.Level(volume: 1, isSoloed: true), ofLane: 1)
        XCTAssertEqual(settled(), 1)
        rig.setLevel(Source.Level(volume: 1, isMuted: true, isSoloed: true), ofLane: 1)
        XCTAssertEqual(settled(), 0)
        rig.setLevel(Source.Level(volume: 1, isMuted: true), ofLane: 1)
        XCTAssertEqual(settled(), 2)
        rig.setLevel(Source.Level(volume: 1, isSoloed: true), ofLane: 2)
        rig.unlink(2)
        XCTAssertEqual(settled(), 1, "a solo goes with its source; lane 1 is still muted")
    }

    func testAGainTakesTwentyMillisecondsWithoutAStep() {
        let rig = ReceiverRig(lanes: 1, fade: .none)
        rig.link(0, source: 1)
        _ = rig.run(1024, ones)
        rig.setLevel(Source.Level(volume: 0), ofLane: 0)
        var all: [Float] = []
        for _ in 0..<2 { all += rig.run(1024, ones)!.mix[0] }
        XCTAssertEqual(all.first, 1)
        XCTAssertEqual(all[960], 0)
        XCTAssertGreaterThan(all[959], 0)
        for frame in 1..<all.count { XCTAssertLessThanOrEqual(abs(all[frame] - all[frame - 1]), 1.01 / 960) }
    }

    func testAMonoSourceOnBothSidesIsPannedByTheLawAndAStereoOneIsBalanced() {
        let rig = ReceiverRig(fade: .none)
        rig.link(0, source: 1, outputs: 1)
        var seen = rig.run(1024) { lane, channel in lane == 0 ? ones(lane, channel) : nil }
        XCTAssertEqual(seen?.mix[0].last ?? 0, 0.70710678, accuracy: 1e-6)
        XCTAssertEqual(seen?.mix[1].last ?? 0, 0.70710678, accuracy: 1e-6)
        rig.unlink(0)
        rig.link(1, source: 2)
        rig.setLevel(Source.Level(volume: 1, pan: -0.75), ofLane: 1)
        seen = rig.run(1024) { lane, channel in lane == 1 ? ones(lane, channel) : nil }
        XCTAssertEqual(seen?.mix[0].last, 1)
        XCTAssertEqual(seen?.mix[1].last, 0.25)
    }

    func testSeparateStreamsAreNotTouchedByLevels() {
        let rig = ReceiverRig(lanes: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1, outputs: 1)
        rig.setLevel(Source.Level(volume: 0.1, pan: 1, isMuted: true), ofLane: 0)
        let seen = rig.run(1024, ones)
        XCTAssertEqual(seen?.lanes[0]?.channels.count, 1, "a mono source is one channel")
        XCTAssertEqual(seen?.lanes[0]?.channels[0].first, 1)
    }

    func testABlockReadsTheNumberThatItsAppSet() {
        let rig = ReceiverRig(lanes: 2, isSeparate: true, fade: .none)
        rig.link(1, source: 5)
        rig.control.setTag(77, lane: 1)
        rig.control.publish()
        XCTAssertEqual(rig.run(1024, ones)?.lanes[1]?.source.tag, 77)
        rig.unlink(1)
        rig.link(1, source: 6)
        XCTAssertEqual(rig.run(1024, ones)?.lanes[1]?.source.tag, 0, "it goes with its source")
    }

    // MARK: Meters

    func testTheMixMayExceedFullScaleAndTheMeterSaysSo() {
        let rig = ReceiverRig(lanes: 3, fade: .none)
        for lane in 0..<3 { rig.link(lane, source: UInt64(lane + 1)) }
        let seen = rig.run(1024, ones)
        XCTAssertEqual(seen?.mix[0].last, 3)
        XCTAssertEqual(seen?.meter?.peak, 3, "the block knows it in the same cycle")
        let meters = rig.memory.receiver!.meters
        XCTAssertEqual(meters.reading(lane: nil, since: .max).peak, 3)
        XCTAssertTrue(meters.reading(lane: nil, since: .max).isOver)
        XCTAssertEqual(meters.reading(lane: 1, since: .max).peak, 1)
        XCTAssertFalse(meters.reading(lane: 1, since: .max).isOver)
    }

    func testNoSampleEscapesAReader() {
        let rig = ReceiverRig(lanes: 1, width: 1, fade: .none)
        rig.link(0, source: 1)
        let meters = rig.memory.receiver!.meters
        var window = 0
        var found: [Float] = []
        // A single loud sample in every fourth block of 256, each louder than the last; read at odd times.
        for block in 0..<400 {
            _ = rig.run(256) { _, _ in
                (0..<256).map { $0 == 77 && block % 40 == 0 ? Float(block) / 400 + 0.1 : 0 }
            }
            if block % 13 == 12 || block == 399 {
                let first = window
                window = meters.newest
                found.append(meters.reading(lane: 0, since: first).peak)
            }
        }
        for block in stride(from: 0, to: 400, by: 40) {
            XCTAssertTrue(found.contains(Float(block) / 400 + 0.1), "the sample of block \(block)")
        }
        XCTAssertEqual(meters.reading(lane: 0, since: .max).heldPeak, Float(360) / 400 + 0.1)
    }

    func testTheRootOfTheMeanSquareIsOverTheWholeSignal() {
        let rig = ReceiverRig(lanes: 1, width: 2, fade: .none)
        rig.link(0, source: 1)
        for block in 0..<60 {
            _ = rig.run(256) { _, _ in (0..<256).map { Float(sin(2 * .pi * Double(block * 256 + $0) / 48)) } }
        }
        let meter = rig.memory.receiver!.meters.reading(lane: 0, since: .max)
        XCTAssertEqual(meter.rms, 0.7071, accuracy: 0.001)
        XCTAssertEqual(meter.peak, 1, accuracy: 1e-6)
    }

    func testAMeterBeginsWithItsSource() {
        let rig = ReceiverRig(lanes: 2, fade: .none)
        let meters = rig.memory.receiver!.meters
        let silence = [Float](repeating: 0, count: 1024)
        rig.link(0, source: 1)
        rig.link(1, source: 2)
        for _ in 0..<4 { _ = rig.run(1024) { lane, channel in lane == 0 ? ones(lane, channel) : silence } }
        XCTAssertEqual(meters.reading(lane: 0, since: .max).heldPeak, 1)
        rig.unlink(0)
        _ = rig.run(1024) { lane, _ in lane == 1 ? silence : nil }
        rig.link(0, source: 3)
        _ = rig.run(1024) { _, _ in silence }
        for window in [0, Int.max] {
            let meter = meters.reading(lane: 0, since: window)
            XCTAssertEqual([meter.peak, meter.heldPeak, meter.rms], [0, 0, 0], "the last source's")
        }
        XCTAssertEqual(meters.reading(lane: nil, since: .max).heldPeak, 1, "the mix is the same one")
    }

    func testAMeterIsResetWhenThePortIsConnectedAgain() {
        let rig = ReceiverRig(lanes: 1, fade: .none)
        rig.link(0, source: 1)
        for _ in 0..<4 { _ = rig.run(1024, ones) }
        rig.unlink(0)
        rig.miss(48_000 * 60)
        rig.link(0, source: 1)
        _ = rig.run(1024) { _, _ in Array(repeating: 0, count: 1024) }
        for lane in [0, nil] {
            let meter = rig.memory.receiver!.meters.reading(lane: lane, since: .max)
            XCTAssertEqual([meter.peak, meter.heldPeak, meter.rms], [0, 0, 0], "a minute old")
        }
        _ = rig.run(1024, ones)
        XCTAssertEqual(rig.memory.receiver!.meters.reading(lane: 0, since: .max).heldPeak, 1)
    }

    func testAMeterForgetsWithinItsHold() {
        let rig = ReceiverRig(lanes: 1, width: 1, fade: .none)
        rig.link(0, source: 1)
        _ = rig.run(1024, ones)
        let meters = rig.memory.receiver!.meters
        for _ in 0..<80 { _ = rig.run(1024) { _, _ in Array(repeating: 0, count: 1024) } }
        XCTAssertEqual(meters.reading(lane: 0, since: .max).heldPeak, 1, "1.7 s later")
        XCTAssertEqual(meters.reading(lane: 0, since: .max).rms, 0)
        for _ in 0..<40 { _ = rig.run(1024) { _, _ in Array(repeating: 0, count: 1024) } }
        XCTAssertEqual(meters.reading(lane: 0, since: .max).heldPeak, 0, "2.5 s later")
    }
}
