// SPDX-License-Identifier: MIT
import Foundation

/// Processor time per cycle of filters in series: of the audio threads of all their programs together, beside as many in C.
/// As ``TimeMeasurement``, at several quanta. All chains take the same sound at once.
struct ChainMeasurement {
    let place: Workplace
    let windows: Int
    let hasControl: Bool

    static let quanta = [64, 256, 1024]
    static let layouts = [(1, true), (4, true), (16, true), (4, false), (16, false)].map {
        Chain.Layout(filters: $0, isOneApp: $1)
    }

    func run(into report: inout Report) throws {
        var makes: [(name: String, peer: Peer)] = [("pipebus", .pipebus), ("pw-filter", .pwFilter)]
        if hasControl { makes.append(("control", .pwFilter)) }
        // Of two programs, the latter half of the orders is equal to the former.
        let orders = Windows.orders(of: makes).prefix(makes.count * (makes.count - 1))
        for layout in Self.layouts {
            /// For each quantum the windows in each order.
            var found: [[[Windows.Window]]] = Self.quanta.map { _ in [] }
            for (number, order) in orders.enumerated() {
                Progress.show("filters in series, \(layout.title), order \(number + 1) of \(orders.count)")
                for (index, windows) in try measure(layout, order, &report).enumerated() {
                    found[index].append(windows)
                }
            }
            Progress.clear()
            for (frames, orders) in zip(Self.quanta, found) {
                let name = "\(frames) frames, \(layout.title)"
                report.chains.append(Windows.measure("pipebus", "pw-filter", named: "\(name), to C", orders))
                if hasControl {
                    report.chains.append(Windows.measure("control", "pw-filter", named: "control: \(name)", orders))
                }
            }
        }
    }

    /// Starts the chains in an order; for each quantum as many windows as are wanted.
    private func measure(
        _ layout: Chain.Layout, _ order: [(name: String, peer: Peer)], _ report: inout Report
    ) throws -> [[Windows.Window]] {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        let senders = try Senders(in: place)
        defer { senders.end() }
        var chains: [Chain] = []
        defer { for chain in chains { chain.end() } }
        chains.append(try Chain(layout, named: "sender", of: nil, on: daemon, in: place))
        for (name, peer) in order {
            chains.append(try Chain(layout, named: name, of: peer, on: daemon, in: place))
        }
        let listeners = chains.map(\.listener)
        let clients = listeners + chains.flatMap(\.programs)
        let gain = pow(0.5, Double(layout.filters))
        return try Self.quanta.map { frames in
            try daemon.setFrames(frames, for: clients)
            return try Windows(count: windows, frames: frames).collect(clients, &report) { answers in
                try check(answers.prefix(listeners.count).map(\.result), gain)
            }
        }
    }

    /// Checks that no program leaves out a filter, which would make it faster.
    private func check(_ heard: [Double], _ gain: Double) throws {
        // To the digits that the programs print.
        guard heard[0] != 0, heard.dropFirst().allSatisfy({ abs($0 / (heard[0] * gain) - 1) < 1e-4 }) else {
            throw BenchError("The sound at the end of a chain is not \(gain) of what went in: \(heard)")
        }
    }
}
