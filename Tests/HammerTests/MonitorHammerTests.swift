// SPDX-License-Identifier: MIT
import RealtimeKit
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBus

/// The audio thread of a receiver, that of the sender which plays its mix, and the control side: monitors come and go meanwhile.
///
/// In PipeWire both are one thread, unless it is configured otherwise.
final class MonitorHammerTests: HammerTestCase {
    /// What the two audio threads tell each other, relaxed as a ``Pace``.
    private final class Turns: Sendable {
        /// The receiver's last cycle, and the one that the sender played last: the place, and the length in the lowest bits.
        let received = Atomic<Int>(0)
        let played = Atomic<Int>(0)
        /// Whether the receiver does not wait for the sender.
        let areFree = Atomic<Bool>(false)
        let heardCycles = Atomic<Int>(0)
        let silentCycles = Atomic<Int>(0)
    }

    func testTheMixIsPlayedInItsCycle() {
        let sound = CountingSound()
        let receiver = HammeredReceiver(sound: sound)
        let (pace, turns) = (Pace(), Turns())
        hammer(
            pace,
            {
                var random = SeededGenerator(seed: 1)
                for _ in 0..<Self.blockCount {
                    let last = turns.received.load(ordering: .relaxed)
                    let isMyTurn = pace.wait {
                        turns.played.load(ordering: .relaxed) == last || turns.areFree.load(ordering: .relaxed)
                    }
                    guard isMyTurn else { break }
                    let (position, frames) = (receiver.position, Int.random(in: 1...64, using: &random))
                    receiver.run(frames)
                    turns.received.store(position << 8 | frames, ordering: .relaxed)
                }
                pace.end()
            },
            {
                var random = SeededGenerator(seed: 2)
                for number in 0... {
                    let areFree = number % 2 == 1
                    turns.areFree.store(areFree, ordering: .relaxed)
                    Self.play(
                        Int.random(in: 500...5000, using: &random), of: receiver, sound, pace, turns, areFree: areFree)
                    if pace.isOver { break }
                }
            })
        let heard = turns.heardCycles.load(ordering: .relaxed)
        XCTAssertGreaterThan(heard, 1000)
        XCTAssertGreaterThan(heard, 20 * turns.silentCycles.load(ordering: .relaxed))
    }

    /// The life of a monitor.
    private static func play(
        _ count: Int, of receiver: HammeredReceiver, _ sound: CountingSound, _ pace: Pace, _ turns: Turns, areFree: Bool
    ) {
        let monitor = MonitorMemory(width: 2, isSeparate: false)
        let output = HammeredOutput()
        monitor.setWanted(true)
        // A cycle that was never received: the sound then begins as it is.
        output.run(65, at: 0) { monitor.core.value.play($0, &$1) }
        receiver.streams.setMonitor(monitor)
        defer { receiver.streams.setMonitor(nil) }
        for number in 0..<count {
            let last = turns.played.load(ordering: .relaxed)
            guard pace.wait(until: { turns.received.load(ordering: .relaxed) != last }) else { return }
            let cycle = turns.received.load(ordering: .relaxed)
            let (position, frames) = (cycle >> 8, cycle & 255)
            // As the control side does, which asks without waiting.
            if areFree, number % 300 == 0 {
                monitor.setHalved(number % 600 == 0)
                monitor.setWanted(number % 900 != 0 || !monitor.isSilent)
            }
            output.run(frames, at: position) { monitor.core.value.play($0, &$1) }
            for channel in 0..<2 {
                let samples = unsafe output.channel(channel)
                if areFree {
                    // Cycles that are missed fade out and in.
                    for frame in 0..<frames {
                        guard unsafe abs(samples[frame]) <= Float(CountingSound.period) else {
                            return pace.fail("no sound at \(position)")
                        }
                    }
                } else if unsafe !sound.isEqualOrSilent(samples, count: frames, from: position, channel: channel) {
                    return pace.fail("another sound at \(position)")
                }
            }
            if !areFree {
                let isHeard = unsafe output.channel(0).pointee != 0
                turns.heardCycles.add(isHeard ? 1 : 0, ordering: .relaxed)
                turns.silentCycles.add(isHeard ? 0 : 1, ordering: .relaxed)
            }
            turns.played.store(cycle, ordering: .relaxed)
        }
    }
}
