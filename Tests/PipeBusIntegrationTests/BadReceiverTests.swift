// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An impossible receiver is refused with one sentence that says what is possible.
final class BadReceiverTests: BusTestCase {
    func testWhatNoReceiverCanBe() async throws {
        let stage = try await Stage.start()
        func attempt(
            lanes: Int = 8, channels: Int = 1, alignment: Alignment = .synchronized, fade: Fade = .standard,
            _ sentence: String, file: StaticString = #filePath, line: UInt = #line
        ) async {
            await assertThrows(sentence, file: file, line: line) {
                try await stage.taker.separateReceiver(
                    "bad", channels: .channels(channels), lanes: lanes, alignment: alignment, fade: fade, state: ()
                ) { _, _, _ in }
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, file: file, line: line)
                XCTAssertEqual((error as? PipeBusError)?.message, sentence, file: file, line: line)
            }
        }
        let most = ReceiverPort.maximumLaneCount
        for lanes in [0, most + 1, .min, .max] {
            await attempt(lanes: lanes, "A receiver has 1 to \(most) lanes, not \(lanes).")
        }
        await attempt(channels: 0, "A receiver has 1 to 64 channels, not 0.")
        await attempt(
            lanes: 64, channels: 64,
            "A receiver has at most 1024 channels in all lanes, not 64 × 64; use fewer lanes.")
        for capacity in [-1, 960_001, .max] {
            await attempt(
                alignment: .synchronized(capacity: capacity),
                "A receiver can align sound that is 0 to 960000 frames old, not \(capacity).")
        }
        for fade in [Duration.seconds(1), .milliseconds(-1), .microseconds(100_001), .seconds(Int64.max)] {
            await attempt(fade: .duration(fade), "A fade takes 0 to 100 milliseconds.")
        }
        // Nothing is left of all that, and the name is free.
        let ports = await stage.taker.graph.ports
        XCTAssertEqual(ports.count, 0)
        _ = try await stage.taker.separateReceiver(
            "bad", lanes: 1, alignment: .synchronized(capacity: 0), fade: .duration(.milliseconds(100)), state: ()
        ) { _, _, _ in }
        let widest = try await stage.taker.separateReceiver("widest", channels: .mono, lanes: most, state: ()) {
            _, _, _ in
        }
        XCTAssertEqual(widest.laneCount, most)
        try await stage.close()
    }

    func testALevelNeedsASource() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0 }
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await receiver.level(of: sender.id) },
            { try await receiver.setLevel(Source.Level(), for: sender.id) },
            { try await receiver.setVolume(0.5, for: sender.id) }, { try await receiver.setPan(1, for: sender.id) },
            { try await receiver.setMuted(true, for: sender.id) },
            { try await receiver.setSoloed(true, for: sender.id) },
            { try await receiver.setContext(1, for: sender.id) },
        ]
        for call in calls {
            await assertThrows("a source that is not connected", call) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .notConnected)
                XCTAssertEqual("\(error)", "That source is not connected to Taker in any more.")
            }
        }
        try await stage.taker.connect(sender, to: receiver)
        for call in calls { try await call() }
        try await receiver.setVolume(-7, for: sender.id)
        try await receiver.setPan(.nan, for: sender.id)
        let level = try await receiver.level(of: sender.id)
        XCTAssertEqual(level, Source.Level(volume: 0, pan: 1, isMuted: true, isSoloed: true))
        await receiver.close()
        for call in calls {
            await assertThrows("a closed port", call) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
            }
        }
        try await stage.close()
    }
}
