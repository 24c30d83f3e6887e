// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import ToolSupport
import XCTest

@testable import track_recorder

/// A take over restarts of the daemon: the time without one is silence of that length.
final class RecordingRestartTests: ToolTestCase {
    /// The times of the recorder's cycles.
    private final class Times: Sendable {
        private let cycles = Mutex<[AudioCycle]>([])
        func note(_ cycle: AudioCycle) { cycles.withLock { $0.append(cycle) } }
        var all: [AudioCycle] { cycles.withLock { $0 } }
    }

    func testTheGapIsAsLongAsItTook() async throws { try await record(.chosen) }

    func testTheGapIsAsLongAsItTookWith14() async throws { try await record(.newer()) }

    private func record(_ installation: PipeWireInstallation) async throws {
        let socket = try DaemonSocket()
        var daemon = try await startDaemon(installation: installation)
        try socket.lead(to: daemon)
        let giver = try await connectClient(to: socket.path, as: "Giver")
        // Each sample is the time of its cycle.
        let origin = Mutex<UInt64?>(nil)
        let sender = try await giver.sender("out", channels: .mono, state: ()) { _, cycle, output in
            let start = cycle.startTime.nanoseconds
            let first = origin.withLock { first in
                first = first ?? start - 1_000_000_000
                return first ?? 0
            }
            let time = Float(Double(start - first) / 1e9 / 64)
            output.fill(0) { _ in time }
        }
        let taker = try await connectClient(to: socket.path, as: "Taker")
        let path = "\(folder)/take.wav"
        let times = Times()
        let input = try await taker.receiver("in", channels: .mono, fade: .none, state: ()) { _, cycle, _ in
            times.note(cycle)
        }
        let progress = RecordingProgress(RecordingCapture(try input.makeCapture()), isAligned: true)
        let writer = TrackWriter(
            progress, into: .mixed(try OutputFile(path: path)), format: try SampleFormat(bits: 32), seconds: nil)
        let figures = try BlockingThread.start { writer.run() }
        try await eventually("the sender to be seen") { await taker.graph.port(sender.id) != nil }
        try await taker.connect(sender, to: input)
        func run() async throws {
            let count = times.all.count
            try await eventually("half a second of sound") { times.all.count > count + 24 }
        }
        try await run()
        for _ in 0..<2 {
            let begin = ContinuousClock.now
            await taker.endSession()
            await giver.endSession()
            daemon.signal(SIGKILL)
            try await eventually("a second") { ContinuousClock.now - begin > .seconds(1) }
            daemon = try await startDaemon(installation: installation)
            try socket.lead(to: daemon)
            try await giver.restartSession()
            try await taker.restartSession()
            try await run()
        }
        await taker.close()
        writer.end()
        let result = try await figures.value
        XCTAssertNil(result.failure)
        try check(
            try WaveFile.read(path).channels[0], cycles: times.all, quantum: 1024, origin: origin.withLock { $0 ?? 0 })
    }

    private func check(_ samples: [Float], cycles: [AudioCycle], quantum: Int, origin: UInt64) throws {
        let (first, last) = try (XCTUnwrap(cycles.first), XCTUnwrap(cycles.last))
        let time = Double(last.startTime.nanoseconds - first.startTime.nanoseconds) / 1e9
        XCTAssertEqual(Double(samples.count), time * 48_000 + Double(quantum), accuracy: 4)
        // The sound is at its time, whatever daemon it came from.
        let start = Double(first.startTime.nanoseconds - origin) / 1e9
        var gaps: [Range<Int>] = []
        for (frame, sample) in samples.enumerated() {
            if sample == 0 {
                if gaps.last?.upperBound == frame {
                    gaps[gaps.count - 1] = gaps[gaps.count - 1].lowerBound..<frame + 1
                } else {
                    gaps.append(frame..<frame + 1)
                }
                continue
            }
            let age = start + Double(frame) / 48_000 - Double(sample) * 64
            guard age > -0.001, age < Double(2 * quantum) / 48_000 + 0.001 else {
                return XCTFail("frame \(frame) holds sound of \(age) s before")
            }
        }
        let long = gaps.filter { $0.count > 24_000 }
        XCTAssertEqual(long.count, 2, "\(gaps)")
        for gap in long { XCTAssertGreaterThan(gap.count, 45_000) }
    }
}
