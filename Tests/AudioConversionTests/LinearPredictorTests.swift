// SPDX-License-Identifier: MIT
import RealtimeKit
import SeededRandom
import XCTest

@testable import AudioConversion

/// What is predicted goes on as the signal was, and never grows.
final class LinearPredictorTests: XCTestCase {
    func testSinesGoOn() {
        for rate in [8_000.0, 11_025, 48_000] {
            for frequencies in [[440.0], [440, 1000, 2500]] {
                func sound(_ frame: Int) -> Double {
                    frequencies.reduce(0) { $0 + 0.2 * cos(2 * .pi * $1 * Double(frame) / rate + $1) }
                }
                let result = extended((0..<256).map { Float(sound($0)) }, by: 8)
                for frame in 0..<256 { XCTAssertEqual(result[frame], Float(sound(frame))) }
                for frame in 256..<264 { XCTAssertEqual(Double(result[frame]), sound(frame), accuracy: 0.002) }
            }
        }
    }

    func testItNeverGrows() {
        var random = SeededGenerator(seed: 3)
        for count in [1, 2, 3, 17, 255, 256, 1000] {
            let signal = (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
            XCTAssertLessThanOrEqual(extended(signal, by: 2000).map(abs).max() ?? 9, 2, "\(count)")
        }
        XCTAssertEqual(extended([0.5], by: 3), [0.5, 0.5, 0.5, 0.5])
        XCTAssertEqual(extended(Array(repeating: 0, count: 300), by: 3).suffix(3), [0, 0, 0])
        XCTAssertEqual(extended([], by: 3), [])
        XCTAssertEqual(extended([.nan, .infinity, 0.25], by: 2).suffix(3), [0.25, 0.25, 0.25])
    }

    func testAHistoryKeepsTheNewestFrames() {
        var history = SignalHistory(rowCount: 2, length: 300)
        var random = SeededGenerator(seed: 4)
        let signal = (0..<20_000).map { Float($0) }
        var next = 0
        while next < 18_000 {
            let count = Int.random(in: 1...(Bool.random(using: &random) ? 20 : 900), using: &random)
            let block = Array(signal[next..<(next + count)])
            let rows = TestRows([block, block.map { -$0 }])
            withExtendedLifetime(rows) { unsafe history.append(rows.rows, from: 0, count) }
            next += count
            XCTAssertEqual(history.count, min(next, 300))
            for frame in 1...history.count {
                let expected = signal[next - frame]
                guard unsafe history.rows[0]![history.end - frame] == expected,
                    unsafe history.rows[1]![history.end - frame] == -expected
                else { return XCTFail("frame \(next - frame) of \(next)") }
            }
        }
    }
}
