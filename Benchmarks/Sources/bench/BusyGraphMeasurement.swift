// SPDX-License-Identifier: MIT
import Foundation

/// Processor time that programs take which are connected to nothing, while others change a graph in which there is much:
/// apps of the library beside `pw-mon`, which hears the same and prints it. All at once in one graph.
struct BusyGraphMeasurement {
    let place: Workplace
    let nodes: Int
    let links: Int
    let windows: Int

    static let events = 100

    /// The measurement of a second.
    private struct Second {
        var events: Double
        /// Milliseconds of processor time.
        var times: [IdleProgram: Double]
    }

    func run(into report: inout Report) throws {
        Progress.show("idle programs in a graph of \(nodes) nodes and \(links) links")
        defer { Progress.clear() }
        let seconds = try measure()
        let events = seconds.map(\.events).median.formatted(places: 0)
        for program in [IdleProgram.sender, .recorder] {
            let pairs = seconds.map {
                (ours: $0.times[program, default: .nan], peer: $0.times[.monitor, default: .nan])
            }
            report.busyGraphs.append(
                Measure(
                    name: "\(program.title), \(nodes) nodes, \(links) links, \(events)/s", unit: "ms",
                    ours: pairs.map(\.ours).median, peer: pairs.map(\.peer).median,
                    ratio: pairs.map { $0.ours / $0.peer }.median, aim: 1.2))
        }
    }

    private func measure() throws -> [Second] {
        let daemon = try Daemon(rate: Windows.rate, in: place)
        defer { daemon.end() }
        try daemon.setFrames(Daemon.mostFrames, for: [])
        let graph = try BusyGraph(nodes: nodes, links: links, events: Self.events, in: place)
        defer { graph.end() }
        var programs: [(kind: IdleProgram, program: Program)] = []
        defer { for (_, program) in programs { program.end() } }
        for kind in [IdleProgram.sender, .recorder, .monitor] {
            programs.append((kind, try kind.start(as: "idle-\(kind.rawValue)", in: place)))
        }
        try programs.map(\.program).waitUntilQuiet()
        try graph.beginEvents()
        // Work of the start is in the first second.
        return try (0...windows).map { _ in try second(graph, programs) }.dropFirst().map(\.self)
    }

    private func second(_ graph: BusyGraph, _ programs: [(kind: IdleProgram, program: Program)]) throws -> Second {
        let events = try graph.events()
        let before = programs.map(\.program.processorNanoseconds)
        let start = ContinuousClock.now
        Thread.sleep(forTimeInterval: 1)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for (_, program) in programs { try program.checkAlive() }
        let times = zip(before, programs).map { before, entry in
            (entry.kind, Double(entry.program.processorNanoseconds - before) / 1e6 / seconds)
        }
        return Second(
            events: Double(try graph.events() - events) / seconds, times: Dictionary(uniqueKeysWithValues: times))
    }
}
