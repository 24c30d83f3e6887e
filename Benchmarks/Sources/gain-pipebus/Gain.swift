// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkPeer
import PipeBus

/// A stereo gain as an app would write it with the library: what is compared with the same in C.
///
///     gain-pipebus APP-NAME [COUNT]
///
/// With a COUNT it has so many filters, "gain-1" and on, for others to link in series.
@main
struct Gain {
    static func main() {
        let arguments = CommandLine.arguments
        let count = arguments.count == 3 ? Int(arguments[2]) ?? 0 : 1
        guard (2...3).contains(arguments.count), (1...64).contains(count) else {
            fail("usage: gain-pipebus APP-NAME [COUNT]", status: 64)
        }
        let names = arguments.count == 3 ? (1...count).map { "gain-\($0)" } : ["gain"]
        peer_block_signals()
        // Not an `async` main: when it suspends, the main thread ends in dispatchMain, where valgrind 3.19 crashes.
        let account = CycleAccount()
        let bus = waiting { try await start(as: arguments[1], names, account) }
        unsafe peer_run(account.peer)
        waiting { await bus.close() }
    }

    static func start(as name: String, _ filters: [String], _ account: CycleAccount) async throws -> BusClient {
        let bus = try await BusClient.connect(
            as: "org.pipebus.benchmark", name: name, allowsConnectionsToSelf: filters.count > 1)
        for filter in filters {
            // One account for all: they run on one thread, and it counts the calls of all of them. What they are compared
            // with has no fades.
            _ = try await bus.filter(filter, fade: .none, state: account) { account, cycle, input, output in
                account.beginCycle(frameCount: cycle.frameCount)
                for channel in 0..<output.count {
                    let from = input[channel]
                    output.fill(channel) { frame in from[frame] * 0.5 }
                }
            }
        }
        return bus
    }
}
