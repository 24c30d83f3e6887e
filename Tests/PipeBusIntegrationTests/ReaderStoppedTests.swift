// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// After a process was stopped, its port has missed cycles, and its reader makes up for the time at once.
final class ReaderStoppedTests: BusTestCase {
    private static let signal: Stage.Signal = { position, channel in
        Float((position &* 7 &+ Int64(1009 * channel)) & 0xFFFF) + 1
    }

    func testOnlyWhatWasMissedIsSilent() async throws {
        let stage = try await Stage.start()
        let end = Box(0)
        let input = try await stage.taker.receiver(
            "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance, state: ()
        ) { _, cycle, _ in end.value = Int(cycle.position) + cycle.frameCount }
        let sender = try await stage.sender("out", channels: .mono, Self.signal)
        try await stage.taker.connect(sender, to: input)
        for quantum in [256, 1024] {
            for (milliseconds, isCycleFirst) in [(400, true), (700, true), (1500, true), (3500, true), (1500, false)] {
                let what = "\(milliseconds) ms, quantum \(quantum), cycle first: \(isCycleFirst)"
                let reader = PausingReader(
                    try input.makeReader(blockSize: 480), blockSize: 480, lanes: 0, signal: Self.signal)
                for _ in 0..<100 {
                    try await stage.step(quantum)
                    reader.run(quantum)
                }
                let (silent, before) = (reader.silentFrames, reader.statistics)
                let missed = 48 * milliseconds
                try await stage.graph.moveClock(to: end.value + missed, afterMilliseconds: milliseconds)
                if isCycleFirst { try await stage.step(quantum) } else { reader.run(missed) }
                if isCycleFirst { reader.run(missed) } else { try await stage.step(quantum) }
                reader.run(quantum)
                for _ in 0..<(2 * 48_000 / quantum) {
                    try await stage.step(quantum)
                    reader.run(quantum)
                }
                XCTAssertNil(reader.fault, what)
                XCTAssertEqual(reader.silentFrames - silent, missed, what)
                XCTAssertEqual(reader.statistics.discardedFrames, before.discardedFrames, what)
                // That the time was missed is known with the next cycle.
                if isCycleFirst { XCTAssertEqual(reader.statistics.lateFrames, before.lateFrames, what) }
            }
        }
        try await stage.close()
    }
}
