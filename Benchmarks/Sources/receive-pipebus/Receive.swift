// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkPeer
import PipeBus

/// A receiver of eight stereo sources, each at a level of its own: what is compared with the same mix in C.
///
///     receive-pipebus APP-NAME immediate|synchronized
@main
struct Receive {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fail("usage: receive-pipebus APP-NAME immediate|synchronized", status: 64) }
        peer_block_signals()
        let account = CycleAccount()
        let alignment: Alignment = arguments[2] == "immediate" ? .immediate : .synchronized
        let bus = waiting { try await start(as: arguments[1], alignment, account) }
        unsafe peer_run(account.peer)
        waiting { await bus.close() }
    }

    static func start(as name: String, _ alignment: Alignment, _ account: CycleAccount) async throws -> BusClient {
        let bus = try await BusClient.connect(as: "org.pipebus.benchmark", name: name)
        let port = try await bus.receiver("in", lanes: Int(peer_sources), alignment: alignment, state: account) {
            account, cycle, mix in
            account.beginCycle(frameCount: cycle.frameCount)
            account.endCycle(result: mix[0][0] - mix[1][cycle.frameCount - 1])
        }
        // Known before they come, so they never move.
        var levels = SourceLevels()
        for source in 0..<Int32(peer_sources) {
            let identity = Source.Identity(applicationID: nil, nodeName: "sender-\(source + 1)")
            levels[identity] = Source.Level(volume: peer_volume(source), pan: peer_pan(source))
        }
        try await port.restore(levels)
        return bus
    }
}
