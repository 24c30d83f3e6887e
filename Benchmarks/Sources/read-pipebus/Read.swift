// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkPeer
import PipeBus

/// Reads a receiver's sound with a `Reader` on a thread of its own: what is compared with a ring of libjack's.
///
///     read-pipebus APP-NAME
@main
struct Read {
    static func main() {
        guard CommandLine.arguments.count == 2 else { fail("usage: read-pipebus APP-NAME", status: 64) }
        peer_block_signals()
        let account = CycleAccount()
        let (bus, port) = waiting { try await start(as: CommandLine.arguments[1], account) }
        do {
            let reading = UnsafeMutablePointer<ReadWork>.allocate(capacity: 1)
            unsafe reading.initialize(to: ReadWork(try port.makeReader()))
            unsafe reading_start(account.peer, readBlock, reading)
        } catch {
            fail("read-pipebus: \(error)", status: 1)
        }
        unsafe peer_run(account.peer)
        waiting { await bus.close() }
    }

    static func start(as name: String, _ account: CycleAccount) async throws -> (BusClient, ReceiverPort) {
        let bus = try await BusClient.connect(as: "org.pipebus.benchmark", name: name)
        let port = try await bus.receiver("in", lanes: 1, state: account) { account, cycle, _ in
            account.beginCycle(frameCount: cycle.frameCount)
        }
        return (bus, port)
    }
}
