// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import SeededRandom
import XCTest

final class EventQueueTests: XCTestCase {
    private struct Event: BitwiseCopyable, Sendable, Equatable {
        var number: Int
        var copies: (Int, Int, Int)

        init(_ number: Int) {
            self.number = number
            copies = (number, number, number)
        }

        var isTorn: Bool { copies != (number, number, number) }
        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    func testCapacityIsRoundedUpToAPowerOfTwo() {
        for (wanted, given) in [(1, 1), (2, 2), (3, 4), (1000, 1024)] {
            XCTAssertEqual(EventQueue<UInt8>(minimumCapacity: wanted).capacity, given)
        }
    }

    func testEventsArriveOnceAndInOrderUntilItIsFull() {
        let queue = EventQueue<Int>(minimumCapacity: 4)
        var writer = queue.makeWriter()
        var reader = queue.makeReader()
        XCTAssertNil(reader.tryReceive())
        for number in 1...4 { XCTAssertTrue(writer.trySend(number)) }
        XCTAssertFalse(writer.trySend(5), "there is no room")
        XCTAssertEqual(reader.tryReceive(), 1)
        XCTAssertTrue(writer.trySend(6))
        XCTAssertEqual(
            [reader.tryReceive(), reader.tryReceive(), reader.tryReceive(), reader.tryReceive()], [2, 3, 4, 6])
        XCTAssertNil(reader.tryReceive())
    }

    func testEveryMixtureOfSendingAndReceivingKeepsTheOrder() {
        var random = SeededGenerator(seed: 1)
        for capacity in [1, 2, 4, 16] {
            let queue = EventQueue<Int>(minimumCapacity: capacity)
            var writer = queue.makeWriter()
            var reader = queue.makeReader()
            var (model, next): ([Int], Int) = ([], 0)
            for _ in 0..<2000 {
                XCTAssertEqual(writer.writableEvents, capacity - model.count)
                if Bool.random(using: &random) {
                    XCTAssertEqual(writer.trySend(next), model.count < capacity)
                    if model.count < capacity { model.append(next) }
                    next += 1
                } else {
                    XCTAssertEqual(reader.tryReceive(), model.isEmpty ? nil : model.removeFirst())
                }
            }
        }
    }

    func testTwoThreadsLoseNothingAndSeeNothingTorn() {
        let queue = EventQueue<Event>(minimumCapacity: 32)
        let total = 100_000
        let thread = Thread {
            var writer = queue.makeWriter()
            var next = 0
            while next < total { if writer.trySend(Event(next)) { next += 1 } }
        }
        thread.start()
        var reader = queue.makeReader()
        var expected = 0
        while expected < total {
            guard let event = reader.tryReceive() else { continue }
            guard event.number == expected, !event.isTorn else { return XCTFail("\(event) instead of \(expected)") }
            expected += 1
        }
    }
}
