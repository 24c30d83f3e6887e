// SPDX-License-Identifier: MIT
import Foundation

/// The time of a `Reader`'s call, beside that of reading a ring of libjack's which a process callback fills: threads that read a
/// block in each cycle, at several quanta. As ``ReceiverMeasurement``; the time is the median of the calls, and not the
/// processor time of a thread, most of which goes into its waking.
struct ReadingMeasurement {
    let place: Workplace
    let windows: Int

    private static let programs: [Peer] = [.reader, .ringReader]

    func run(into report: inout Report) throws {
        /// For each quantum the windows in each order.
        var found: [[[Windows.Window]]] = ReceiverMeasurement.quanta.map { _ in [] }
        for order in [Self.programs, Self.programs.reversed()] {
            Progress.show("readers")
            for (index, windows) in try measure(order, &report).enumerated() { found[index].append(windows) }
        }
        Progress.clear()
        for (frames, orders) in zip(ReceiverMeasurement.quanta, found) {
            let name = "Reader.read, \(frames) frames, to \(Peer.ringReader.title)"
            report.streams.append(
                Windows.measure(Peer.reader.rawValue, Peer.ringReader.rawValue, named: name, orders, aim: 1.1))
        }
    }

    private func measure(_ order: [Peer], _ report: inout Report) throws -> [[Windows.Window]] {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        var clients: [Client] = []
        defer { for client in clients { client.end() } }
        for peer in order {
            clients.append(try Client(peer, name: peer.rawValue, timeout: 10, in: place))
            try clients.last?.join(daemon)
        }
        return try ReceiverMeasurement.quanta.map { frames in
            try daemon.setFrames(frames, for: clients)
            // What was read before that is in none of the medians.
            Thread.sleep(forTimeInterval: 1)
            return try Windows(count: windows, frames: frames).collect(
                clients, &report, check: checkWhole, value: \.result)
        }
    }

    private func checkWhole(_ answers: [Client.Window]) throws {
        guard answers.allSatisfy({ $0.result > 0 }) else {
            throw BenchError("The readers did not get all sound. Try again when the machine is quiet.")
        }
    }
}
