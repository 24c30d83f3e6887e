// SPDX-License-Identifier: MIT
import PipeBusTesting
import XCTest

/// Fails unless both have the same samples, bit for bit, and says where they part.
package func assertSamples(
    _ samples: [Float], equal expected: [Float], channel: Int = 0, file: StaticString = #filePath, line: UInt = #line
) {
    guard let difference = SampleComparison(of: samples, with: expected, channel: channel) else { return }
    XCTFail(difference.description, file: file, line: line)
}

/// Fails unless the call throws, and hands what was thrown to `check`.
package func assertThrows<Result>(
    _ what: String, file: StaticString = #filePath, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ call: () async throws -> Result, _ check: (any Error) -> Void = { _ in }
) async {
    do {
        _ = try await call()
        XCTFail("\(what) should have thrown", file: file, line: line)
    } catch {
        check(error)
    }
}
