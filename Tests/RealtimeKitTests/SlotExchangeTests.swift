// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization
import XCTest

final class SlotExchangeTests: XCTestCase {
    func testBeforeAnythingIsPublishedTheReaderKeepsItsSlot() {
        let exchange = SlotExchange()
        XCTAssertEqual(exchange.take(SlotExchange.firstRead), SlotExchange.firstRead)
    }

    func testTheNewestIsTakenOnce() {
        let exchange = SlotExchange()
        let second = exchange.publish(SlotExchange.firstWritten)
        XCTAssertNotEqual(second, SlotExchange.firstWritten)
        let third = exchange.publish(second)
        XCTAssertEqual(third, SlotExchange.firstWritten, "what nobody took is written over")
        let read = exchange.take(SlotExchange.firstRead)
        XCTAssertEqual(read, second)
        XCTAssertEqual(exchange.take(read), read)
    }

    /// Two threads: what is read is in one piece, and never older than what was read before.
    func testTheReaderSeesWholeValuesThatNeverGoBack() {
        @safe final class Shared: @unchecked Sendable {
            // @unchecked: the exchange deals the slots out.
            let exchange = SlotExchange()
            let isOver = Atomic<Bool>(false)
            // Plain memory: an array is one variable, whichever of its elements is changed.
            let slots = UnsafeMutablePointer<Int>.allocate(capacity: 3 * 16)
            init() { unsafe slots.initialize(repeating: 0, count: 3 * 16) }
            deinit { unsafe slots.deallocate() }
        }
        let shared = Shared()
        let rounds = 50_000
        let writer = Thread {
            var slot = SlotExchange.firstWritten
            for value in 1...rounds {
                for index in 0..<16 { unsafe shared.slots[slot * 16 + index] = value }
                slot = shared.exchange.publish(slot)
            }
            shared.isOver.store(true, ordering: .releasing)
        }
        writer.start()
        var slot = SlotExchange.firstRead
        var last = 0
        var torn = 0
        var isOver = false
        while !isOver {
            isOver = shared.isOver.load(ordering: .acquiring)
            slot = shared.exchange.take(slot)
            let values = (0..<16).map { unsafe shared.slots[slot * 16 + $0] }
            if Set(values).count != 1 { torn += 1 }
            XCTAssertGreaterThanOrEqual(values[0], last)
            last = values[0]
        }
        XCTAssertEqual(torn, 0)
        XCTAssertEqual(last, rounds)
    }
}
