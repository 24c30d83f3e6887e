// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A pause of a reader's app costs what is left out of it, once, and nothing if the app catches up: whatever its length.
final class ReaderPauseTests: BusTestCase {
    private static let signal: Stage.Signal = { position, channel in
        Float((position &* 7 &+ Int64(1009 * channel)) & 0xFFFF) + 1
    }
    private static let quantum = 256
    /// Of a reader's ring, in frames.
    private static let capacity = 1 << 17
    /// In cycles: below and above half a second, over a second, and more than the ring holds.
    private static let pauses = [90, 98, 280, 520]

    func testOfTheMix() async throws { try await check(lanes: 0) }

    func testOfSeparateSources() async throws { try await check(lanes: 2) }

    private func check(lanes: Int) async throws {
        let stage = try await Stage.start()
        let box = Box<[PausingReader]>([])
        let run: @Sendable (AudioCycle) -> Void = { cycle in for reader in box.value { reader.run(cycle) } }
        let input: ReceiverPort
        if lanes > 0 {
            input = try await stage.taker.separateReceiver(
                "in", channels: .mono, lanes: lanes, fade: .none, state: ()
            ) { _, cycle, _ in run(cycle) }
        } else {
            input = try await stage.taker.receiver(
                "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance, state: ()
            ) { _, cycle, _ in run(cycle) }
        }
        for number in 0..<max(lanes, 1) {
            let sender = try await stage.sender("out\(number)", channels: .mono, Self.signal)
            try await stage.taker.connect(sender, to: input)
        }
        for catchesUp in [true, false] {
            box.value = try [64, 256, 480].map {
                PausingReader(
                    try input.makeReader(blockSize: $0), blockSize: $0, lanes: lanes, signal: Self.signal)
            }
            try await stage.step(Self.quantum, cycles: 20)
            for pause in Self.pauses {
                let before = box.value.map { ($0.statistics, $0.silentFrames) }
                for reader in box.value { reader.pause(pause * Self.quantum, catchesUp: catchesUp) }
                try await stage.step(Self.quantum, cycles: pause + 40)
                for (reader, (counts, silence)) in zip(box.value, before) {
                    let what = "\(pause) cycles of pause, latency \(reader.latency), catches up: \(catchesUp)"
                    XCTAssertNil(reader.fault, what)
                    XCTAssertEqual(reader.lateFrames, 0, what)
                    XCTAssertEqual(reader.statistics.lateFrames, 0, what)
                    let discarded = Int(reader.statistics.discardedFrames - counts.discardedFrames)
                    // Of each lane. What was read and not yet left out when the pause began waits too.
                    let overrun = max(pause * Self.quantum + reader.latency - Self.capacity, 0)
                    let silent = reader.silentFrames - silence
                    if catchesUp {
                        let accuracy = overrun > 0 ? max(lanes, 1) * Self.quantum : 0
                        XCTAssertLessThanOrEqual(abs(discarded - max(lanes, 1) * overrun), accuracy, what)
                        // Silence is where the sound was left out, and nowhere else.
                        XCTAssertEqual(silent * max(lanes, 1), discarded, what)
                    } else {
                        let cost = Double(discarded / max(lanes, 1))
                        XCTAssertEqual(cost, Double(pause * Self.quantum), accuracy: Double(Self.quantum), what)
                        XCTAssertEqual(silent, 0, what)
                    }
                }
            }
            box.value = []
        }
        try await stage.close()
    }
}
