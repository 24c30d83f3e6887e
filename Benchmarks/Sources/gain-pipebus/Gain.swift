// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkPeer
import PipeBus

/// A stereo gain as an app would write it with the library: what is compared with the same in C.
///
///     gain-pipebus APP-NAME
@main
struct Gain {
    static func main() {
        guard CommandLine.arguments.count == 2 else { fail("usage: gain-pipebus APP-NAME", status: 64) }
        peer_block_signals()
        // Not an `async` main: when it suspends, the main thread ends in dispatchMain, where valgrind 3.19 crashes.
        let account = CycleAccount()
        let bus = waiting { try await start(as: CommandLine.arguments[1], account) }
        unsafe peer_run(account.peer)
        waiting { await bus.close() }
    }

    static func start(as name: String, _ account: CycleAccount) async throws -> BusClient {
        let bus = try await BusClient.connect(as: "org.pipebus.benchmark", name: name)
        // What it is compared with has no fades.
        _ = try await bus.filter("gain", fade: .none, state: account) { account, cycle, input, output in
            account.beginCycle(frameCount: cycle.frameCount)
            for channel in 0..<output.count {
                let from = input[channel]
                var to = output[channel]
                for frame in to.indices { to[frame] = from[frame] * 0.5 }
            }
        }
        return bus
    }
}
