// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of the level commands: a sender and a receiver, and the tool on their daemon.
class LevelCommandTestCase: ToolTestCase {
    func pipebus(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let process = try start("pipebus", arguments, at: daemon.environment())
        try await process.waitForEnd()
        return process
    }

    func value(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> String {
        let process = try await pipebus(arguments, at: daemon)
        XCTAssertEqual(process.ending, .exited(0), process.errors.text)
        return process.output.text
    }

    struct Stage {
        var daemon: HeadlessPipeWire
        var bus: BusClient
        var source: SenderPort
        var receiver: ReceiverPort
    }

    func makeStage() async throws -> Stage {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        try await bus.connect(source, to: receiver)
        return Stage(daemon: daemon, bus: bus, source: source, receiver: receiver)
    }

    /// The name of the app's shared state.
    func metadataName(at daemon: HeadlessPipeWire) async throws -> String {
        let dump = try ChildProcess("/usr/bin/pw-cli", ["ls", "Metadata"], environment: daemon.environment())
        try await dump.waitForEnd()
        let words = dump.output.text.split(separator: "\"").map(String.init)
        return try XCTUnwrap(words.first { $0.hasPrefix("pipebus.") }, dump.output.text)
    }
}
