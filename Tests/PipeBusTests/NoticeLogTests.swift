// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class NoticeLogTests: XCTestCase {
    private func notice(_ number: Int, port: String? = "in") -> Notice {
        Notice(kind: .requestRefused, port: port, message: "Refused \(number).")
    }

    private func messages(_ log: NoticeLog, _ post: () -> Void) async -> [String] {
        let stream = log.subscribe()
        post()
        log.finish()
        return await stream.reduce(into: []) { $0.append($1.message) }
    }

    func testTheNoticesOfAKindAreLimitedAndTheNextOneTellsOfThoseLeftOut() async {
        let log = NoticeLog()
        let start = ContinuousClock.now
        for number in 0..<1000 { log.post(notice(number), at: start) }
        // Of another port.
        let messages = await messages(log) {
            log.post(notice(1, port: "other"), at: start)
            log.post(notice(1000), at: start.advanced(by: .seconds(4)))
            log.post(notice(1001), at: start.advanced(by: .seconds(6)))
            log.post(notice(1002), at: start.advanced(by: .seconds(60)))
        }
        XCTAssertEqual(
            messages.suffix(3),
            ["Refused 1.", "Refused 1001. 937 notices like this one were left out before it.", "Refused 1002."])
    }

    func testTheFirstAreKeptForALateReader() async {
        let log = NoticeLog()
        for number in 0..<1000 { log.post(notice(number)) }
        let messages = await messages(log) {}
        XCTAssertEqual(messages, (0..<64).map { "Refused \($0)." })
    }
}
