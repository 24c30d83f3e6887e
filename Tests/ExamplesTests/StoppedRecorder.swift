// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTesting
import XCTest

/// A recorder in real time that is stopped for a while, as by a debugger: it misses cycles, and the graph goes on.
enum StoppedRecorder {
    /// Cycles so long that a busy machine misses none of its own.
    static let quantum = 4096

    /// Runs some cycles, some with the tool stopped, and some more; then ends it.
    static func run(_ tool: ChildProcess, recording source: SenderPort) async throws {
        func wait(forCycles count: UInt64) async throws {
            let target = try await source.statistics.cycles + count
            try await eventually("\(count) cycles") { try await source.statistics.cycles >= target }
        }
        try await wait(forCycles: 6)
        tool.signal(SIGSTOP)
        try await wait(forCycles: 6)
        tool.signal(SIGCONT)
        try await wait(forCycles: 6)
        tool.signal(SIGINT)
    }

    /// Fails unless every sample of a counting signal is silence or what was sent at its frame of the graph.
    ///
    /// Allows for PipeWire's own faults.
    ///
    /// The sound of the cycle in which the tool was stopped may be overwritten by later sound. On 0.3.65 the tool
    /// sometimes runs before its source from then on, and gets the sound of the previous cycle, without a mark.
    ///
    /// - Parameters:
    ///   - start: the graph's position at the first sample.
    ///   - begin: that of the signal's first frame.
    static func check(
        _ samples: [Float], from start: Int, begin: Int, file: StaticString = #filePath, line: UInt = #line
    ) {
        // The first cycles may be silent: links take effect one after the other.
        let sound = samples.firstIndex { $0 != 0 } ?? samples.count
        let gap = samples[sound...].firstIndex(of: 0) ?? samples.count
        var wrong: [Int] = []
        for frame in samples.indices where samples[frame] != 0 {
            let expected = Float(start + frame - begin + 1)
            let isFine =
                samples[frame] == expected
                // Stopped in the middle.
                || frame >= gap - quantum && frame < gap
                || frame > gap && samples[frame] == expected - Float(quantum)
            if !isFine { wrong.append(frame) }
        }
        XCTAssertEqual(wrong.count, 0, "\(wrong.prefix(5)) and so on", file: file, line: line)
        let silent = samples[gap...].prefix { $0 == 0 }.count
        XCTAssertGreaterThanOrEqual(silent, 4 * quantum, "the silence is in one piece", file: file, line: line)
        XCTAssertGreaterThan(samples.filter { $0 != 0 }.count, 8 * quantum, file: file, line: line)
    }
}
