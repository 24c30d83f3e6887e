// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A counting signal sent by one process arrives in another bit for bit: every frame once, none wrong, in mono, stereo
/// and eight channels at once.
final class ExactTransferTests: BusTestCase {
    func testTenMinutesAt1024() async throws { try await transfer(.atLeast(10 * 60 * 48_000, by: 1024)) }
    func testAMillionFramesAt16() async throws { try await transfer(.atLeast(1_000_000, by: 16)) }
    func testAMillionFramesAt64() async throws { try await transfer(.atLeast(1_000_000, by: 64)) }
    func testAMillionFramesAt256() async throws { try await transfer(.atLeast(1_000_000, by: 256)) }
    func testAMillionFramesAt1000() async throws { try await transfer(.atLeast(1_000_000, by: 1000)) }
    func testAMillionFramesAt8192() async throws { try await transfer(.atLeast(1_000_000, by: 8192)) }

    func testEveryCycleOfAnotherLength() async throws { try await transfer(.random(cycles: 1_000, seed: 1)) }

    private func transfer(_ steps: Steps, file: StaticString = #filePath, line: UInt = #line) async throws {
        let transfer = try await ExactTransfer.start(.all(.chosen), widths: [1, 2, 8])
        try await transfer.run(steps, "exact", file: file, line: line)
    }
}
