// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import XCTest

final class ParameterTests: XCTestCase {
    private enum Mode: UInt8, BitwiseCopyable { case off, on, bypassed }
    private struct Pair: BitwiseCopyable, Sendable, Equatable {
        var left: Float
        var right: Int16
    }

    private func assertKept<Value: BitwiseCopyable & Sendable & Equatable>(
        _ values: [Value], line: UInt = #line
    ) {
        let parameter = Parameter(values[0])
        let readers = [Box(parameter.makeReader()), Box(parameter.makeReader())]
        for value in values {
            parameter.value = value
            XCTAssertEqual(parameter.value, value, line: line)
            for reader in readers { XCTAssertEqual(reader.reader.value, value, line: line) }
        }
    }

    private final class Box<Value: BitwiseCopyable & Sendable> {
        let reader: Parameter<Value>.Reader
        init(_ reader: consuming Parameter<Value>.Reader) { self.reader = reader }
    }

    func testEveryValueOfUpToEightBytesIsKept() {
        assertKept([Float(1), -.infinity, 0.1])
        assertKept([1.0, .greatestFiniteMagnitude, -0.1])
        assertKept([Int.min, -1, 7])
        assertKept([true, false])
        assertKept([UInt8(255), 0])
        assertKept([Mode.on, .bypassed, .off])
        assertKept([Pair(left: 1, right: -1), Pair(left: .pi, right: 300)])
        assertKept([SIMD2<Float>(1, 2)])
    }

    /// Two halves that every writer sets alike.
    func testManyThreadsSetItAndNoReaderSeesHalfAValue() {
        let parameter = Parameter(SIMD2<Int32>(0, 0))
        let threads = (1...4).map { number in
            Thread {
                for round in 0..<20_000 {
                    parameter.value = SIMD2(repeating: Int32(number * 100_000 + round))
                }
                parameter.value = SIMD2(repeating: -1)
            }
        }
        for thread in threads { thread.start() }
        let reader = parameter.makeReader()
        var newest = SIMD2<Int32>(0, 0)
        while !threads.allSatisfy(\.isFinished) {
            newest = reader.value
            guard newest.x == newest.y else { return XCTFail("\(newest)") }
        }
        XCTAssertEqual(reader.value, SIMD2(repeating: -1))
    }
}
