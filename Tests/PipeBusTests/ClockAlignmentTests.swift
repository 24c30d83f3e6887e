// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// Alignment over changes of the driver, the rate and the cycle's length. Sound of before the change comes out at its time
/// or not at all.
final class ClockAlignmentTests: XCTestCase {
    private let latency = 2000
    private var rig = ReceiverRig()
    /// The app's time.
    private var position = 0
    /// The times for which nothing was made, or nothing that can be heard.
    private var silent: [Range<Int>] = []
    private var heardCount = 0

    override func setUp() async throws {
        rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: latency...latency)
        position = 0
        silent = [Int.min..<0]
        heardCount = 0
    }

    /// Runs cycles in which each frame of the first source holds the time when it was made.
    private func run(_ lengths: [Int], file: StaticString = #filePath, line: UInt = #line) throws {
        for frames in lengths {
            let start = position
            let made = (0..<frames).map { Float(start + $0 + 1) }
            let seen = try XCTUnwrap(rig.run(frames) { lane, _ in lane == 0 ? made : nil }, file: file, line: line)
            XCTAssertEqual(Int(seen.cycle.position), start, file: file, line: line)
            XCTAssertEqual(
                Set(seen.lanes.values.map(\.source.timestamp.position)), [Int64(start - latency)], file: file,
                line: line)
            for (frame, sample) in seen.lanes[0]!.channels[0].enumerated() {
                let made = start + frame - latency
                let expected = silent.contains { $0.contains(made) } ? 0 : Float(made + 1)
                guard sample == expected else {
                    return XCTFail("\(sample) for what was made at \(made)", file: file, line: line)
                }
                if sample != 0 { heardCount += 1 }
            }
            position += frames
        }
    }

    func testThroughOtherDrivers() throws {
        try run([1024, 512, 512, 1024])
        // Shorter and longer than the delay, and longer than any that is filled in pieces.
        for (count, seconds) in [0.01, 0.02, 0.001, 0.5, 2, 0.03].enumerated() {
            rig.changeDriver(to: UInt64(count.isMultiple(of: 2) ? 0 : 7_777_777), after: seconds)
            let gap = Int((seconds * 48_000).rounded())
            silent.append(position..<position + gap)
            position += gap
            try run([1024, 64, 333, 1024, 1024])
        }
        XCTAssertGreaterThan(heardCount, 9000)
    }

    func testThroughOtherRates() throws {
        try run([1024, 1024, 1024])
        for rate in [44_100, 96_000, 48_000] {
            rig.changeSampleRate(to: rate)
            silent = [Int.min..<position]
            try run([1024, 1024, 512, 2048])
        }
        XCTAssertGreaterThan(heardCount, 7000)
    }

    func testThroughAllLengthsOfCycles() throws {
        for _ in 0..<3 { try run([64, 128, 256, 512, 1024, 2048, 4096, 8192, 4096, 2048, 1024, 512, 256, 128, 64]) }
        XCTAssertEqual(heardCount, position - latency)
    }
}
