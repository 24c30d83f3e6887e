// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sources of different latency that come and go while others are recorded, in real time and without `--duration`.
final class SlowerSourceTests: ToolTestCase {
    func testASlowerSourceThatIsKilledTouchesNoOtherTrack() async throws {
        try await kill(on: try await startDaemon(.init(quantum: 4096)))
    }

    func testWithADaemonOf14() async throws {
        try await kill(on: try await startDaemon(.init(quantum: 4096), installation: try PipeWireInstallation.newer()))
    }

    private func kill(on daemon: HeadlessPipeWire) async throws {
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/tracks"
        let tool = try start("track-recorder", ["--separate", "--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let fast = try await ClockSender.start("Fast", in: daemon.environment())
        let slow = try await ClockSender.start("Slow", latency: 12_000, in: daemon.environment())
        func waitForMore() async throws {
            let frames = (try? WaveFile.read("\(path)/Fast.wav").channels[0].count) ?? 0
            try await eventually("half a second more") {
                (try? WaveFile.read("\(path)/Fast.wav").channels[0].count) ?? 0 > frames + 24_000
            }
        }
        try await bus.connect("Fast", to: "Recorder")
        try await waitForMore()
        try await bus.connect("Slow", to: "Recorder")
        try await waitForMore()
        // The latency falls and rises, too.
        try await slow.setLatency(3000)
        try await waitForMore()
        try await slow.setLatency(12_000)
        try await waitForMore()
        slow.process.signal(SIGKILL)
        try await waitForMore()
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["lost_frames"], "0")
        let start = try XCTUnwrap(Int(figures["first_position"] ?? ""))
        let file = try WaveFile.read("\(path)/Fast.wav")
        // Its channels are linked one after the other.
        let both = try XCTUnwrap(
            file.channels[0].indices.first {
                file.channels[0][$0] == -file.channels[1][$0] && file.channels[0][$0] != 0
            })
        let runs = ClockRuns(file.channels.map { Array($0[both...]) })
        XCTAssertEqual(runs.offsets, [(start + both) & (1 << 20 - 1)], "from \(start) on:\n\(runs)")
        XCTAssertEqual(runs.otherFrames, 0, "\(runs)")
        // Only the cycles that this machine missed.
        let line = try XCTUnwrap(tool.output.lines.first { $0.hasSuffix("file=Fast.wav") })
        let missed = try XCTUnwrap(line.split(separator: " ").first { $0.hasPrefix("missed_frames=") })
        XCTAssertEqual("missed_frames=\(runs.silentFramesWithin)", String(missed), "\(runs)")
        // The other one is where it was made as well, but for the moments in which its latency was not known.
        let late = ClockRuns(try WaveFile.read("\(path)/Slow.wav").channels)
        let right = late.counts.filter { $0.content == .count(offset: start & (1 << 20 - 1)) }
        XCTAssertGreaterThan(right.reduce(0) { $0 + $1.length }, 48_000, "\(late)")
        fast.process.closeInput()
    }
}
