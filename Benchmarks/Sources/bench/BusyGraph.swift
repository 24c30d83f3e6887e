// SPDX-License-Identifier: MIT
import Foundation

/// A graph of other people's nodes and links, and of one more link that comes and goes.
final class BusyGraph {
    private let program: Program
    private let nodeCount: Int
    /// After the line that it is ready.
    private var answersRead = 0

    /// - Parameters:
    ///   - links: that stay, and let nothing run.
    ///   - events: a link between the last two nodes comes or goes so many times a second, once that has begun.
    ///   - isFlat: no link leads on, so that the daemon looks for no loops.
    init(nodes: Int, links: Int, events: Int, isFlat: Bool = false, in place: Workplace) throws {
        nodeCount = nodes
        let executable = place.executables.appendingPathComponent("busy-graph").path
        program = try Program(
            [executable, "busy", "\(nodes)", "\(links)", "\(events)"] + (isFlat ? ["flat"] : []),
            name: "busy-graph", in: place)
        do {
            try program.waitForLine("ready", upTo: 120)
        } catch {
            program.end()
            throw error
        }
    }

    /// Ports of the last two nodes, whose link is not there yet.
    var sparePorts: (output: String, input: String) { ("busy-\(nodeCount - 1):out_FL", "busy-\(nodeCount):in_FL") }

    func beginEvents() throws { try program.send(SIGUSR1) }

    /// How often the link has come and gone so far. A daemon that is too busy does not follow.
    func events() throws -> Int {
        try program.send(SIGUSR2)
        try wait(upTo: 10, for: "an answer of busy-graph") {
            try program.checkAlive()
            return program.lines.count > answersRead + 1
        }
        answersRead += 1
        guard let events = Int(program.lines[answersRead]) else { throw BenchError("busy-graph counts no events.") }
        return events
    }

    func end() { program.end() }
}
