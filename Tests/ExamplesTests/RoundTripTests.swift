// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A program that knows nothing of PipeBus measures how late sound comes out of our filter, and another what it says of
/// that.
final class RoundTripTests: ToolTestCase {
    /// The loop costs the quantum that any loop does, and the filter in it exactly its delay.
    func testJackMeasuresTheDelayThatTheFilterReports() async throws {
        for quantum in [256, 1024, 2048] {
            try await check(delays: [0, 64, 480, 4800], quantum: quantum)
        }
    }

    func testWithADaemonOf14() async throws {
        let newer = try PipeWireInstallation.newer()
        try await check(delays: [0, 480], quantum: 256, daemon: newer)
        try await check(delays: [64, 4800], quantum: 1024, daemon: newer, clients: newer)
    }

    private func check(
        delays: [Int], quantum: Int, daemon installation: PipeWireInstallation = .chosen,
        clients: PipeWireInstallation = .system
    ) async throws {
        let daemon = try await startDaemon(.init(quantum: quantum), installation: installation)
        let bus = try await connectClient(to: daemon.remote)
        let meter = try startJack("jack_iodelay", at: daemon, clients)
        do {
            try await eventually("the meter's port") {
                await bus.graph.ports.contains { $0.nodeName == "jack_delay" && $0.kind == .filter }
            }
        } catch { throw meter.failure("makes no port at quantum \(quantum)") }
        for delay in delays {
            let what = "quantum \(quantum), delay \(delay), clients \(clients.root ?? "of the system")"
            let tool = try start(
                "echo-filter", ["--delay", "\(delay)", "--feedback", "0", "--channels", "1"],
                at: daemon.environment(client: clients))
            try await waitForPort("Echo.echo", of: tool, seenBy: bus)
            do {
                try await bus.connect("jack_delay", to: "Echo", timeout: .seconds(20))
                try await bus.connect("Echo", to: "jack_delay")
            } catch { throw meter.failure("cannot be connected at \(what): \(error)") }
            try await measure(meter, as: quantum + delay, what)
            let latencies = try await latencies(of: "Echo echo", on: daemon, clients)
            XCTAssertEqual(latencies["output_MONO capture"], "[ \(delay) \(delay) ]", what)
            XCTAssertEqual(latencies["input_MONO playback"], "[ \(delay) \(delay) ]", what)
            tool.signal(SIGTERM)
            try await tool.waitForEnd()
            try await eventually("the filter to go") {
                await !bus.graph.ports.contains { $0.nodeName == "Echo.echo" }
            }
        }
        meter.signal(SIGTERM)
        try await meter.waitForEnd()
    }

    /// Starts one of JACK's tools with PipeWire's library in the place of JACK's own.
    private func startJack(
        _ tool: String, _ arguments: [String] = [], at daemon: HeadlessPipeWire, _ installation: PipeWireInstallation
    ) throws -> ChildProcess {
        var environment = daemon.environment(client: installation)
        guard let libraries = environment["LD_LIBRARY_PATH"] else {
            return try daemon.run("stdbuf", ["-oL", "pw-jack", tool] + arguments)
        }
        // The script of an installation in a folder would take the system's.
        environment["LD_LIBRARY_PATH"] = "\(libraries)/pipewire-0.3/jack:\(libraries)"
        return try ChildProcess("stdbuf", ["-oL", tool] + arguments, environment: environment)
    }

    /// Waits until the meter shows a figure several times in a row.
    ///
    /// A lost cycle on a busy machine disturbs some readings, and so do the cycles around the making of links.
    private func measure(_ meter: ChildProcess, as frames: Int, _ what: String) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(40))
        var inARow = 0
        var last = ""
        while inARow < 5 {
            guard ContinuousClock.now < deadline else {
                return XCTFail("Waited for \(frames) frames at \(what); the last line was: \(last)")
            }
            guard let line = try? await meter.nextLine(within: .seconds(20), where: { $0.contains("total roundtrip") })
            else { throw meter.failure("measures nothing at \(what)") }
            last = line
            let figure = line.split(separator: " ").first.flatMap { Double($0) } ?? -1
            // Doubt is shown in the same line.
            inARow = abs(figure - Double(frames)) < 0.05 && !line.contains("??") ? inARow + 1 : 0
        }
    }

    /// The latencies that `jack_lsp -l` shows for a client's ports: "[ least most ]" in frames, by "port direction".
    private func latencies(
        of client: String, on daemon: HeadlessPipeWire, _ installation: PipeWireInstallation
    ) async throws -> [String: String] {
        let tool = try startJack("jack_lsp", ["-l"], at: daemon, installation)
        try await tool.waitForEnd()
        var latencies: [String: String] = [:]
        var port = ""
        for line in tool.output.lines {
            if !line.hasPrefix("\t") {
                port = line
            } else if port.hasPrefix("\(client):"), let equals = line.firstIndex(of: "="),
                let end = line.lastIndex(of: "]")
            {
                let direction = line.contains("playback") ? "playback" : "capture"
                let range = line[line.index(after: equals)...end].trimmingPrefix(" ")
                latencies["\(port.dropFirst(client.count + 1)) \(direction)"] = String(range)
            }
        }
        return latencies
    }
}
