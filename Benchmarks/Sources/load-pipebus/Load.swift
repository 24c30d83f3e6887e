// SPDX-License-Identifier: MIT
import BenchmarkSupport
import PipeBus

/// Connects to a daemon, waits until its graph has been read, and answers a question about it.
///
///     load-pipebus LINKS PORT
///
/// Prints the number of links that lead to the port, and the milliseconds from the begin of the connection until the graph had so many
/// links.
@main
struct Load {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let links = Int(arguments[1]) else {
            fail("usage: load-pipebus LINKS PORT", status: 64)
        }
        let (count, time) = waiting { try await load(links, arguments[2]) }
        print("\(count) \(time / .milliseconds(1))")
    }

    private static func load(_ links: Int, _ port: String) async throws -> (links: Int, time: Duration) {
        let start = ContinuousClock.now
        let bus = try await BusClient.connect(as: "org.pipebus.benchmark.load", name: "load")
        for await graph in bus.graphUpdates {
            guard graph.connections.reduce(0, { $0 + $1.links.count }) >= links else { continue }
            let time = start.duration(to: .now)
            let id = graph.ports.first { $0.nodeName == port }?.id
            let count = graph.connections.reduce(0) { $0 + ($1.destination == id ? $1.links.count : 0) }
            return (count, time)
        }
        fail("load-pipebus: the daemon ended", status: 1)
    }
}
