// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Signals to `load` and `run`.
final class InterruptedRoutingTests: RoutingCommandTestCase {
    /// The first signal ends a command that reads a pipe in which nobody writes.
    func testAPipeThatGivesNothing() async throws {
        let daemon = try await startDaemon()
        for (command, signal) in [("load", SIGINT), ("load", SIGTERM), ("run", SIGINT), ("run", SIGTERM)] {
            let path = "\(folder)/\(command)-\(signal)"
            XCTAssertEqual(unsafe mkfifo(path, 0o600), 0)
            let tool = try start("pipebus", [command, path], at: daemon.environment())
            // There is a reader from the moment on at which the command opens it.
            var writer: Int32 = -1
            defer { if writer >= 0 { close(writer) } }
            try await eventually("\(command) to read") {
                writer = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                return writer >= 0
            }
            tool.signal(signal)
            let ending = try await tool.waitForEnd(within: .seconds(5))
            XCTAssertEqual(ending, .killed(signal: signal), "\(command)")
        }
    }

    /// The connections stay, so they are named.
    func testAnInterruptedLoadSaysWhatItMade() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        try await bus.connect(other, to: receiver)
        let path = try routing([
            ["from": end("App.one"), "to": end("App.in")],
            ["from": end("App.two"), "to": end("App.in")],
            ["from": end("Late.out"), "to": end("App.in")],
        ])
        for signal in [SIGINT, SIGTERM] {
            let load = try start("pipebus", ["load", path, "--timeout", "60"], at: daemon.environment())
            try await eventually("the connection that can be made") {
                await bus.graph.connection(from: sender.id, to: receiver.id) != nil
            }
            load.signal(signal)
            let ending = try await load.waitForEnd(within: .seconds(10))
            XCTAssertEqual(ending, .exited(128 + signal), load.errors.text)
            // At the moment of its making it may be taken back.
            let isThere = await bus.graph.connection(from: sender.id, to: receiver.id) != nil
            XCTAssertEqual(
                load.output.lines, isThere ? ["state=made source=App.one destination=App.in"] : [], load.errors.text)
            if isThere { try await bus.disconnect(sender, from: receiver) }
        }
    }
}
