// SPDX-License-Identifier: MIT
import Foundation

/// The cost of links between other nodes for a hundred apps, and the time that the links take while so many clients
/// listen: apps of the library, each a process with a sender, beside as many in C that listen to the same events.
struct CrowdMeasurement {
    let place: Workplace

    static let clients = 100
    static let calls = 20

    private struct Cost {
        /// The sum over all apps.
        var processorMilliseconds: Double
        /// From the first call to the end of the last one.
        var waitedMilliseconds: Double
    }

    func run(into report: inout Report) throws {
        defer { Progress.clear() }
        let ours = try measure(.sender)
        let peer = try measure(.registry)
        func add(_ name: String, _ value: KeyPath<Cost, Double>, aim: Double) {
            report.crowds.append(
                Measure(
                    name: name, unit: "ms", ours: ours[keyPath: value], peer: peer[keyPath: value],
                    ratio: ours[keyPath: value] / peer[keyPath: value], aim: aim))
        }
        add("processor time of all apps", \.processorMilliseconds, aim: 1.2)
        add("time of the calls", \.waitedMilliseconds, aim: 1.5)
    }

    private func measure(_ kind: IdleProgram) throws -> Cost {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        try daemon.setFrames(Daemon.mostFrames, for: [])
        let graph = try BusyGraph(nodes: 2, links: 0, events: 1, in: place)
        defer { graph.end() }
        var programs: [Program] = []
        defer { Program.end(programs) }
        for number in 1...Self.clients {
            Progress.show("\(Self.clients) idle apps, \(kind.title), starting \(number)")
            programs.append(try kind.start(as: "crowd-\(number)", in: place))
        }
        try programs.waitUntilQuiet()
        Progress.show("\(Self.clients) idle apps, \(kind.title)")
        let before = programs.processorNanoseconds
        let waited = try link(graph.sparePorts)
        try programs.waitUntilQuiet()
        return Cost(
            processorMilliseconds: Double(programs.processorNanoseconds - before) / 1e6, waitedMilliseconds: waited)
    }

    /// Makes and removes a link in turn, a `pw-link` for each; returns the milliseconds that all of them took.
    private func link(_ ports: (output: String, input: String)) throws -> Double {
        let pair = "pw-link \(ports.output) \(ports.input) && pw-link -d \(ports.output) \(ports.input)"
        let calls = Array(repeating: pair, count: Self.calls / 2).joined(separator: " && ")
        let script = "start=$(date +%s%N) && \(calls) && end=$(date +%s%N) && echo $(((end - start) / 1000))"
        guard let line = try Program.run(["sh", "-c", script], name: "pw-link", in: place).last, let time = Double(line)
        else { throw BenchError("The calls of pw-link were not timed.") }
        return time / 1000
    }
}
