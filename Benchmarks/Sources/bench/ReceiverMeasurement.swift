// SPDX-License-Identifier: MIT
import Foundation

/// Processor time of a receiver's audio thread per cycle, beside the same mix in C: eight stereo sources, each at a volume
/// and pan of its own. As ``TimeMeasurement``, at several quanta; all receivers hear the same senders.
struct ReceiverMeasurement {
    let place: Workplace
    let windows: Int

    static let quanta = [64, 256, 1024]
    static let programs: [Peer] = [.immediateReceiver, .mixingFilter, .synchronizedReceiver, .meteringFilter]
    static let pairs: [(ours: Peer, peer: Peer)] = [
        (.immediateReceiver, .mixingFilter), (.synchronizedReceiver, .mixingFilter),
        (.immediateReceiver, .meteringFilter), (.synchronizedReceiver, .meteringFilter),
    ]

    func run(into report: inout Report) throws {
        /// For each quantum the windows in each order.
        var found: [[[Windows.Window]]] = Self.quanta.map { _ in [] }
        let orders = Windows.orders(of: Self.programs)
        for (number, order) in orders.enumerated() {
            Progress.show("receivers, order \(number + 1) of \(orders.count)")
            for (index, windows) in try measure(order, &report).enumerated() { found[index].append(windows) }
        }
        Progress.clear()
        for (frames, orders) in zip(Self.quanta, found) {
            for (ours, peer) in Self.pairs {
                let name = "\(frames) frames, \(ours.title), to \(peer.title)"
                report.receivers.append(Windows.measure(ours.rawValue, peer.rawValue, named: name, orders))
            }
        }
    }

    /// Starts the receivers in an order; for each quantum as many windows as are wanted.
    private func measure(_ order: [Peer], _ report: inout Report) throws -> [[Windows.Window]] {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        let senders = try Senders(in: place)
        defer { senders.end() }
        var clients: [Client] = []
        defer { for client in clients { client.end() } }
        for peer in order {
            clients.append(try Client(peer, name: peer.rawValue, timeout: 10, in: place))
            try clients.last?.join(daemon)
        }
        return try Self.quanta.map { frames in
            try daemon.setFrames(frames, for: clients)
            return try Windows(count: windows, frames: frames).collect(clients, &report, check: checkAlike)
        }
    }

    /// Checks that no program mixes fewer sources, which would make it faster.
    private func checkAlike(_ answers: [Client.Window]) throws {
        let results = answers.map(\.result)
        guard let least = results.min(), let most = results.max(), most - least < 1e-4, most != 0 else {
            throw BenchError("The receivers do not mix alike: \(results)")
        }
    }
}
