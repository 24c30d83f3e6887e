// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Lines of `key=value` pairs, read by a shell.
final class KeyValueLineTests: RoutingCommandTestCase {
    /// The words of a line, as a shell reads them.
    private func words(_ line: String) async throws -> [String] {
        let shell = try ChildProcess("/bin/sh", ["-c", #"eval "set -- $1"; printf '%s\n' "$@""#, "sh", line])
        let ending = try await shell.waitForEnd()
        XCTAssertEqual(ending, .exited(0), shell.errors.text)
        return shell.output.lines
    }

    func testEachValueIsOneWord() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "My App")
        let late = "Late one, whose name is longer than the names in sentences"
        for name in ["it's one", "a \"b\" $(c) `d`; #e", "Größe→&", "plain"] {
            let sender = try await bus.sender(name, channels: .stereo, state: ()) { _, _, _ in }
            let receiver = try await bus.receiver("to \(name)", channels: .stereo, state: ()) { _, _, _ in }
            let (from, to) = (sender.nodeName, receiver.nodeName)
            let connect = try await run(["connect", from, to], at: daemon)
            let connected = try await words(connect.output.text)
            XCTAssertEqual(connected, ["source=\(from)", "destination=\(to)", "links=2"])
            let path = try routing([["from": end(from), "to": end(to)], ["from": end(late), "to": end(to)]])
            let load = try await run(["load", path], at: daemon, status: 1)
            XCTAssertEqual(load.output.lines.count, 2, load.output.text)
            let lines = [try await words(load.output.lines[0]), try await words(load.output.lines[1])]
            XCTAssertEqual(lines[0], ["state=there", "source=\(from)", "destination=\(to)"])
            XCTAssertEqual(
                lines[1],
                [
                    "state=waiting", "source=\(late)", "destination=\(to)",
                    "reason=\(late.prefix(40))… of org.pipebus.test",
                ])
            let volume = try await run(["volume", from, to, "0.5"], at: daemon)
            XCTAssertEqual(volume.output.text, "volume=0.5")
            let ended = try await run(["disconnect", from, to], at: daemon)
            let disconnected = try await words(ended.output.text)
            XCTAssertEqual(disconnected, ["source=\(from)", "destination=\(to)", "links=2"])
            let undone = try await run(["undo"], at: daemon)
            let changed = try await words(undone.output.text)
            XCTAssertEqual(changed, ["change=connected", "source=\(from)", "destination=\(to)"])
        }
    }
}
