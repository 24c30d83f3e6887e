// SPDX-License-Identifier: MIT
import Foundation

/// Processor time of the audio thread per cycle, of all programs at once in one graph on one processor.
///
/// A disturbance of a window affects every program in it, so the quotient within a window is far steadier than the
/// times. And the place in the cycle costs more than the code: the first that is woken finds cold caches, the last one
/// wakes the driver. So each program takes each place, and the ratio is the geometric mean over the orders, in which
/// the places cancel out. The C filter against itself then gives 1.00 within 0.01, where the plain median of all
/// windows gave up to 1.09.
struct TimeMeasurement {
    let place: Workplace
    let windows: Int
    let hasControl: Bool

    func run(into report: inout Report) throws {
        var programs: [(name: String, peer: Peer)] = [
            ("pipebus", .pipebus), ("pw-filter", .pwFilter), ("libjack", .jack),
        ]
        if hasControl { programs.append(("control", .pwFilter)) }
        var orders: [[Windows.Window]] = []
        for (number, order) in Windows.orders(of: programs).enumerated() {
            Progress.show("order \(number + 1) of \(2 * programs.count)")
            orders.append(try measure(order, &report))
        }
        Progress.clear()
        report.measures.append(
            Windows.measure("pipebus", "pw-filter", named: "time per cycle, to \(Peer.pwFilter.title)", orders))
        report.measures.append(
            Windows.measure("pipebus", "libjack", named: "time per cycle, to \(Peer.jack.title)", orders))
        if hasControl {
            report.measures.append(
                Windows.measure("control", "pw-filter", named: "control: \(Peer.pwFilter.title) with itself", orders))
        }
    }

    /// Starts the programs in an order, and returns as many windows as are wanted in which none of them lost cycles.
    private func measure(_ order: [(name: String, peer: Peer)], _ report: inout Report) throws -> [Windows.Window] {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        var clients: [Client] = []
        defer { for client in clients { client.end() } }
        for (name, peer) in order {
            clients.append(try Client(peer, name: name, timeout: 10, in: place))
            try clients.last?.join(daemon)
        }
        return try Windows(count: windows, frames: Daemon.frames).collect(clients, &report)
    }
}
