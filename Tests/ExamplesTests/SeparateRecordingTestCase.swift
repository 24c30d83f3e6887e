// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// The base of tests of `track-recorder --separate`: the content of its files.
class SeparateRecordingTestCase: ToolTestCase {
    func assertFile(
        _ name: String, in result: RecordingBench.Result, of bench: RecordingBench, made: [Range<Int>], late: Int = 0,
        channels: Int = 2, line: UInt = #line
    ) {
        guard let file = result.files[name] else { return XCTFail("no \(name) in \(result.files.keys)", line: line) }
        XCTAssertEqual(file.channels.count, channels, line: line)
        for (channel, samples) in file.channels.enumerated() {
            let expected = bench.expected(
                made, channel: channel, in: result, count: samples.count, late: late)
            assertSamples(samples, equal: expected, channel: channel, line: line)
        }
    }
}
