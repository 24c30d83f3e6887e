// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// Random scenes of a mixing receiver, from the control side to the mix, against a reference in double precision.
final class MixPropertyTests: XCTestCase {
    private struct Scene {
        var rig: ReceiverRig
        var model: ReceiverModel
        var random: SeededGenerator
        var nextSource: UInt64 = 1
        var latencies: [Int]
        var levels: [Source.Level]
        var mono: [Bool]
        let panLaw: PanLaw
        let width: Int
        let capacity: Int?

        init(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            let lanes = seed % 100 == 0 ? 64 : [1, 2, 2, 3, 8].randomElement(using: &random)!
            width = [1, 2, 2, 2, 3].randomElement(using: &random)!
            let isAligned = Bool.random(using: &random)
            capacity = isAligned ? 700 : nil
            let fades = [0, 1000, 5000, 333]
            let fade = fades.randomElement(using: &random)!
            panLaw = PanLaw.allCases.randomElement(using: &random)!
            let rate = [8_000, 44_100, 48_000].randomElement(using: &random)!
            rig = ReceiverRig(
                lanes: lanes, width: width, alignment: isAligned ? .synchronized(capacity: 700) : .immediate,
                fade: .duration(.microseconds(fade)), panLaw: panLaw, sampleRate: rate)
            model = ReceiverModel(lanes: lanes, width: width, fadeLength: rate * fade / 1_000_000, sampleRate: rate)
            latencies = Array(repeating: 0, count: lanes)
            levels = Array(repeating: Source.Level(), count: lanes)
            mono = Array(repeating: false, count: lanes)
            self.random = random
        }

        /// Connects, disconnects and changes something, now and then.
        mutating func change() {
            for lane in model.lanes.indices where Int.random(in: 0..<4, using: &random) == 0 {
                let isLinked = model.lanes[lane].isLinked
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    // A linked lane is taken over by another source without a moment in between.
                    link(lane)
                case 2 where isLinked:
                    rig.unlink(lane)
                    model.lanes[lane].isLinked = false
                    model.lanes[lane].isLeaving = false
                case 3 where isLinked && Int.random(in: 0..<4, using: &random) == 0:
                    rig.leave(lane)
                    model.lanes[lane].isLeaving = true
                case 4 where isLinked:
                    latencies[lane] = latency()
                    rig.setLatency(latencies[lane]...latencies[lane], ofLane: lane)
                default:
                    guard isLinked else { continue }
                    levels[lane] = Source.Level(
                        volume: [0, 1, Double.random(in: 0...1, using: &random)].randomElement(using: &random)!,
                        pan: [-1, 0, 1, Double.random(in: -1...1, using: &random)].randomElement(using: &random)!,
                        isMuted: Int.random(in: 0..<8, using: &random) == 0,
                        isSoloed: Int.random(in: 0..<8, using: &random) == 0)
                    rig.setLevel(levels[lane], ofLane: lane)
                }
                follow()
            }
        }

        /// Short ones too, whose delay lines are silent soon.
        private mutating func latency() -> Int {
            Int.random(in: 0...[20, 900].randomElement(using: &random)!, using: &random)
        }

        private mutating func link(_ lane: Int) {
            mono[lane] = width == 2 && Bool.random(using: &random)
            latencies[lane] = latency()
            levels[lane] = Source.Level()
            rig.link(
                lane, source: nextSource, outputs: mono[lane] ? 1 : width, latency: latencies[lane]...latencies[lane])
            nextSource += 1
            model.lanes[lane].isLinked = true
            model.lanes[lane].isLeaving = false
            model.lanes[lane].isThere = true
            model.lanes[lane].isNew = true
        }

        /// The state that the description derives from the present connections.
        private mutating func follow() {
            let linked = model.lanes.indices.filter { model.lanes[$0].isLinked }
            let isAnySoloed = linked.contains { levels[$0].isSoloed }
            for lane in linked {
                model.lanes[lane].latency = latencies[lane]
                model.lanes[lane].isAligned = latencies[lane] <= capacity ?? -1
                let level = levels[lane]
                let isHeard = !level.isMuted && (level.isSoloed || !isAnySoloed)
                var sides = (left: 1.0, right: 1.0)
                if width == 2, mono[lane] {
                    let angle = (level.pan + 1) * Double.pi / 4
                    // The cosine of a rounded π/2 is not 0.
                    let cosine = level.pan == 1 ? 0 : cos(angle)
                    let straight = (left: (1 - level.pan) / 2, right: (1 + level.pan) / 2)
                    switch panLaw {
                    case .constantPower: sides = (cosine, sin(angle))
                    case .linear: sides = straight
                    case .minus4Point5dB:
                        sides = (
                            (straight.left * cosine).squareRoot(), (straight.right * sin(angle)).squareRoot()
                        )
                    case .balance: sides = (min(1, 1 - level.pan), min(1, 1 + level.pan))
                    }
                } else if width == 2 {
                    sides = (min(1, 1 - level.pan), min(1, 1 + level.pan))
                }
                model.lanes[lane].wantedGains = [sides.left, sides.right].map {
                    isHeard ? Double(Float($0 * level.volume)) : 0
                }
            }
            // Disconnected sources go on as they were, except for mute and solo.
            for lane in model.lanes.indices where !model.lanes[lane].isLinked && isAnySoloed != wasSoloed {
                let heard = !levels[lane].isMuted && (levels[lane].isSoloed || !isAnySoloed)
                if !heard { model.lanes[lane].wantedGains = [0, 0] } else { restore(lane) }
            }
            wasSoloed = isAnySoloed
        }
        private var wasSoloed = false

        private mutating func restore(_ lane: Int) {
            let level = levels[lane]
            let law: PanLaw = mono[lane] ? panLaw : .balance
            let sides = width == 2 ? law.gains(pan: level.pan) : (left: 1, right: 1)
            model.lanes[lane].wantedGains = [
                Double(Float(sides.left * level.volume)), Double(Float(sides.right * level.volume)),
            ]
        }

        mutating func cycle() -> String? {
            let frames = [1, 7, 16, 33, 64, 100].randomElement(using: &random)!
            var blocks: [[Float]?] = []
            for lane in model.lanes.indices {
                // Sometimes silence, also one that is not quite.
                let peak: Float = [1, 1, 1, 0, 1e-6].randomElement(using: &random)!
                let first = (0..<frames).map { _ in Float.random(in: -peak...peak, using: &random) }
                for channel in 0..<width {
                    let isThere = model.lanes[lane].isLinked
                    let own = (0..<frames).map { _ in Float.random(in: -peak...peak, using: &random) }
                    blocks.append(isThere ? (mono[lane] || channel == 0 ? first : own) : nil)
                }
            }
            let width = width
            let input = { (lane: Int, channel: Int) in blocks[lane * width + channel] }
            let (mix, tolerance) = model.run(frames, input)
            guard let seen = rig.run(frames, input) else {
                return mix.joined().contains { $0 != 0 } ? "the block was not called" : nil
            }
            if seen.mixTimestamp?.position != Int64(rig.position) - Int64(frames + model.held) {
                return "a mix of \(seen.mixTimestamp?.position ?? 0), and \(model.held) frames are held"
            }
            if rig.memory.receiver?.realignments != model.realignments {
                return "\(rig.memory.receiver?.realignments ?? 0) realignments, not \(model.realignments)"
            }
            for channel in 0..<width {
                for frame in 0..<frames {
                    let difference = abs(Double(seen.mix[channel][frame]) - mix[channel][frame])
                    if difference > tolerance[channel][frame] + 1e-30 {
                        return "frame \(frame) of \(frames), channel \(channel): \(seen.mix[channel][frame]), not "
                            + "\(mix[channel][frame]), which is off by more than \(tolerance[channel][frame])"
                    }
                }
            }
            return nil
        }
    }

    func testTenThousandRandomScenes() {
        let count = 10_000
        for seed in 0..<UInt64(count) {
            var scene = Scene(seed: seed)
            // The first connection is an connectionEpoch of its own; it stays connected from then on.
            for number in 0..<5 {
                scene.change()
                if let fault = scene.cycle() {
                    XCTFail(
                        "scene \(seed), cycle \(number), \(scene.model.lanes.count) lanes, \(scene.width) channels: \(fault)"
                    )
                    return
                }
            }
        }
    }
}
