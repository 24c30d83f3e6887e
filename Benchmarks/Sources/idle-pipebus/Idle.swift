// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkPeer
import Glibc
import PipeBus

/// An app with one port that is connected to nothing, while others change the graph.
///
///     idle-pipebus APP-NAME sender|recorder
///
/// A recorder has a receiver as `track-recorder --separate` has it. Writes "ready" when its port is there. Ends on SIGTERM.
@main
struct Idle {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, ["sender", "recorder"].contains(arguments[2]) else {
            fail("usage: idle-pipebus APP-NAME sender|recorder", status: 64)
        }
        peer_block_signals()
        let bus = waiting { try await start(as: arguments[1], isSender: arguments[2] == "sender") }
        // At once: C's streams keep what they are given.
        _ = unsafe write(STDOUT_FILENO, "ready\n", 6)
        unsafe peer_run(peer_create())
        waiting { await bus.close() }
    }

    static func start(as name: String, isSender: Bool) async throws -> BusClient {
        let bus = try await BusClient.connect(as: "org.pipebus.benchmark.\(name)", name: name)
        if isSender {
            _ = try await bus.sender("out", state: ()) { _, _, _ in }
        } else {
            _ = try await bus.separateReceiver("in", alignment: .immediate, fade: .none, state: ()) { _, _, _ in }
        }
        return bus
    }
}
