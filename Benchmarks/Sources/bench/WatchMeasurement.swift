// SPDX-License-Identifier: MIT
import Foundation

/// The cost of watching for sources that hang while nothing is wrong: of the library's poll in an app with a connected
/// receiver, and of the profiler that is bound only when something seems wrong, for the daemon and for a client in C that
/// reads all of it.
struct WatchMeasurement {
    let place: Workplace
    let windows: Int

    static let quanta = [256, 1024]
    /// Programs of eight nodes each. The profiler reports nothing of more than some ninety.
    static let senderCounts = [1, 10]

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        for senders in Self.senderCounts {
            Progress.show("watching \(8 * senders) nodes")
            try measure(senders, &report)
        }
    }

    private func measure(_ count: Int, _ report: inout Report) throws {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        let senders = try Senders(in: place)
        defer { senders.end() }
        let client = try Client(.immediateReceiver, name: "watched", timeout: 10, in: place)
        defer { client.end() }
        let unconnected = try seconds { client.program.loopNanoseconds }
        try client.join(daemon)
        // More nodes to report, which nobody hears.
        var others: [Senders] = []
        defer { for other in others { other.end() } }
        for _ in 1..<count { others.append(try Senders(in: place)) }
        for frames in Self.quanta {
            try daemon.setFrames(frames, for: [client])
            let what = "\(8 * count) nodes, \(frames) frames"
            let connected = try seconds { client.program.loopNanoseconds }
            report.watches.append(
                WatchCost(name: "app's loop, connected, \(what)", with: connected, without: unconnected))
            let before = try seconds { daemon.processorNanoseconds }
            let executable = place.executables.appendingPathComponent("idle-profiler").path
            let profiler = try Program([executable, "profiler"], name: "profiler", in: place)
            defer { profiler.end() }
            try profiler.waitForLine("ready", upTo: 10)
            let during = try seconds { daemon.processorNanoseconds }
            report.watches.append(WatchCost(name: "daemon, profiler bound, \(what)", with: during, without: before))
            let reading = try seconds { profiler.processorNanoseconds }
            report.watches.append(WatchCost(name: "client of the profiler, \(what)", with: reading, without: 0))
        }
    }

    /// The median of what a counter of nanoseconds grows by in a second, in microseconds.
    private func seconds(_ counter: () -> Int) throws -> Double {
        (0..<max(windows, 2)).map { _ in
            let (before, start) = (counter(), ContinuousClock.now)
            Thread.sleep(forTimeInterval: 1)
            return Double(counter() - before) / 1000 / ((ContinuousClock.now - start) / .seconds(1))
        }.median
    }
}
