// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// Sources of random latencies come, go and are silent for a while, and every sample of each is known from its timestamp:
/// none is heard twice or left out but where that is counted.
final class HeldLatencyPropertyTests: XCTestCase {
    private struct Source {
        var serial: UInt64
        var latency: Int
        var linked: Int
        var unlinked: Int?

        /// The sound that was made at a time: noise, and silence in between.
        func sample(_ made: Int) -> Float {
            var bits = (serial &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(bitPattern: Int64((made + 1 << 30) / 1500))
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            guard (bits >> 40) % 3 > 0 else { return 0 }
            return Float((made &* 7919) & 0x3FFF | 0x1000) / 0x4000
        }

        /// The output for sound that was made at a time.
        func expected(_ made: Int) -> Float {
            let arrival = made + latency
            return arrival >= linked && arrival < unlinked ?? .max ? sample(made) : 0
        }
    }

    private struct Scene {
        let capacity = 4000
        let rig: ReceiverRig
        var random: SeededGenerator
        var sources: [Int: Source] = [:]
        var serial: UInt64 = 0
        /// Where each lane's sound goes on, and which source's it is.
        var next: [Int: (sourceGeneration: UInt64, made: Int)] = [:]
        var crossfadeEnd = 0
        var realignments: UInt64 = 0
        var held = 0
        var shrinks = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            rig = ReceiverRig(
                lanes: 4, width: 1, isSeparate: true, alignment: .synchronized(capacity: capacity), fade: .none)
        }

        mutating func change() {
            let lane = Int.random(in: 0..<4, using: &random)
            let now = Int(rig.position)
            if sources[lane] == nil || sources[lane]?.unlinked != nil {
                serial += 1
                let latency = [0, 100, 5000, Int.random(in: 0...capacity, using: &random)]
                    .randomElement(using: &random)!
                sources[lane] = Source(serial: serial, latency: latency, linked: now)
                rig.link(lane, source: serial, latency: latency...latency)
            } else {
                sources[lane]?.unlinked = now
                rig.unlink(lane)
            }
        }

        /// - Returns: what is wrong.
        mutating func cycle() -> String? {
            let frames = [16, 64, 333, 1000].randomElement(using: &random)!
            let start = Int(rig.position)
            let seen = rig.run(frames) { lane, _ in
                guard let source = sources[lane], source.unlinked == nil else { return nil }
                return (0..<frames).map { source.sample(start + $0 - source.latency) }
            }
            let memory = rig.memory.receiver!
            if memory.realignments != realignments {
                realignments = memory.realignments
                // A fade may be under way for which the next one waits.
                crossfadeEnd = start + 2 * 480 + 1000
            }
            let needed =
                sources.values.filter { $0.unlinked == nil && $0.latency <= capacity }.map(\.latency).max() ?? 0
            for (lane, block) in seen?.lanes ?? [:] {
                guard let source = sources[lane] else { return "lane \(lane) has nobody" }
                if block.source.isAligned {
                    let age = block.source.age.frames
                    if age < needed || age > capacity { return "\(age) frames are held, and \(needed) needed" }
                    if age < held, start >= crossfadeEnd { shrinks += 1 }
                    held = age
                    if age != memory.heldLatency {
                        return "\(age) frames are held, and \(memory.heldLatency) published"
                    }
                }
                if let fault = check(block, of: source, lane, start) { return "lane \(lane) at \(start): \(fault)" }
            }
            next = next.filter { seen?.lanes[$0.key] != nil }
            return nil
        }

        private mutating func check(_ block: ReceiverRig.Heard, of source: Source, _ lane: Int, _ start: Int) -> String?
        {
            let made = Int(block.source.timestamp.position)
            let samples = block.channels[0]
            defer { next[lane] = (block.source.sourceGeneration, made + samples.count) }
            // The rest of the last source on the lane decays under it.
            guard start >= crossfadeEnd, start >= source.linked + 480 else { return nil }
            for frame in samples.indices where samples[frame] != source.expected(made + frame) {
                return "\(samples[frame]) instead of \(source.expected(made + frame)), made at \(made + frame)"
            }
            guard let next = next[lane], next.sourceGeneration == block.source.sourceGeneration, next.made != made
            else {
                return nil
            }
            guard made > next.made else { return "back from \(next.made) to \(made)" }
            let lost = (next.made..<made).first { source.expected($0) != 0 }
            return lost.map { "what was made at \($0) is left out" }
        }
    }

    func testNothingIsLostThatIsNotCounted() {
        var realignments: UInt64 = 0
        var shrinks = 0
        for seed in 0..<150 {
            var scene = Scene(seed: UInt64(seed))
            for number in 0..<400 {
                if Int.random(in: 0..<12, using: &scene.random) == 0 { scene.change() }
                if let fault = scene.cycle() { return XCTFail("scene \(seed), cycle \(number): \(fault)") }
            }
            realignments += scene.realignments
            shrinks += scene.shrinks
        }
        XCTAssertGreaterThan(realignments, 100)
        XCTAssertGreaterThan(shrinks, 100)
    }
}
