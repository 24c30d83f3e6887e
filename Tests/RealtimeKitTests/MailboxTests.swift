// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import Synchronization
import XCTest

final class MailboxTests: XCTestCase {
    /// Larger than anything that a processor reads at once.
    private struct Value: BitwiseCopyable, Sendable {
        var numbers: (Int, Int, Int, Int, Int, Int, Int, Int, Int)

        init(_ number: Int) {
            numbers = (number, number, number, number, number, number, number, number, number)
        }

        var number: Int? {
            let all = [
                numbers.0, numbers.1, numbers.2, numbers.3, numbers.4, numbers.5, numbers.6, numbers.7, numbers.8,
            ]
            return Set(all).count == 1 ? all[0] : nil
        }
    }

    func testTheNewestValueIsRead() {
        let mailbox = Mailbox(1)
        var writer = mailbox.makeWriter()
        var reader = mailbox.makeReader()
        XCTAssertEqual(reader.read(), 1)
        XCTAssertNil(reader.tryReceive(), "nothing was posted")
        writer.post(2)
        writer.post(3)
        XCTAssertEqual(reader.tryReceive(), 3)
        XCTAssertNil(reader.tryReceive(), "it was received before")
        XCTAssertEqual(reader.read(), 3, "and it is still the newest")
        for value in 4..<20 {
            writer.post(value)
            XCTAssertEqual(reader.read(), value)
            XCTAssertNil(reader.tryReceive())
        }
    }

    func testTheReaderSeesWholeValuesThatNeverGoBack() {
        let mailbox = Mailbox(Value(0))
        let rounds = 50_000
        let thread = Thread {
            var writer = mailbox.makeWriter()
            for number in 1...rounds { writer.post(Value(number)) }
        }
        thread.start()
        var reader = mailbox.makeReader()
        var last = 0
        while last < rounds {
            guard let number = reader.read().number else { return XCTFail("torn after \(last)") }
            guard number >= last else { return XCTFail("\(number) after \(last)") }
            last = number
        }
    }
}
