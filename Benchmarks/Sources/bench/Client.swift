// SPDX-License-Identifier: MIT
import Foundation

/// One of the compared programs while it runs, linked into the daemon's graph.
final class Client {
    /// A program's report on the time since its window began.
    struct Window: Decodable {
        /// In which each of the program's filters was called.
        var cycles: Int
        var processorNanoseconds: Int
        var elapsedNanoseconds: Int
        var frames: Int
        /// The result of the last cycle.
        var result: Double
        var policy: Int32
        var priority: Int

        enum CodingKeys: String, CodingKey {
            case cycles, frames, result, policy, priority
            case processorNanoseconds = "processor_ns"
            case elapsedNanoseconds = "elapsed_ns"
        }

        var nanosecondsPerCycle: Double { Double(processorNanoseconds) / Double(cycles) }

        /// How the audio thread is scheduled.
        var scheduling: String {
            switch policy {
            case SCHED_FIFO: "FIFO \(priority)"
            case SCHED_RR: "RR \(priority)"
            default: "OTHER"
            }
        }
    }

    let program: Program
    let name: String
    /// The figure of which its time is a part.
    let figure: String
    private let peer: Peer
    private let filterCount: Int?
    private let timeout: Double
    private var windowsRead = 0

    /// - Parameters:
    ///   - figure: its own name unless given. The times of all clients of one figure are added up.
    ///   - filterCount: for a gain filter, so many of them in one program.
    ///   - prefix: the command it runs under, callgrind for one.
    ///   - timeout: for each thing that is waited for, in seconds.
    init(
        _ peer: Peer, name: String, figure: String? = nil, filterCount: Int? = nil, under prefix: [String] = [],
        timeout: Double, in place: Workplace
    ) throws {
        self.name = name
        self.figure = figure ?? name
        self.peer = peer
        self.filterCount = filterCount
        self.timeout = timeout
        let executable = place.executables.appendingPathComponent(peer.executable).path
        let arguments = peer.arguments + (filterCount.map { ["\($0)"] } ?? [])
        program = try Program(peer.launcher + prefix + [executable, name] + arguments, name: name, in: place)
    }

    /// The names of its nodes begin so.
    var nodes: [String] { filterCount.map { (1...$0).map { "\(name).gain-\($0)" } } ?? [name] }

    /// Links it and waits until cycles come.
    func join(_ daemon: Daemon) throws {
        if peer.isReceiver {
            try daemon.linkReceiver(name, timeout: timeout)
        } else if peer.isReader {
            try daemon.linkInSeries(["source-sink", name], timeout: timeout, program.checkAlive)
        } else {
            try daemon.linkInSeries(["source-sink", name, "target-sink"], timeout: timeout, program.checkAlive)
        }
        try waitForCycles()
    }

    func waitForCycles() throws {
        try beginWindow()
        try wait(upTo: timeout, for: "\(name) to be called") { try endWindow().cycles > 0 }
    }

    func beginWindow() throws { try program.send(SIGUSR1) }

    /// Asks for the time since the window began, without ending it.
    func askForWindow() throws { try program.send(SIGUSR2) }

    /// The answer to the last question.
    func readWindow() throws -> Window {
        try wait(upTo: timeout, for: "an answer of \(name)") {
            try program.checkAlive()
            return program.lines.count > windowsRead
        }
        defer { windowsRead += 1 }
        var window = try JSONDecoder().decode(Window.self, from: Data(program.lines[windowsRead].utf8))
        window.cycles /= filterCount ?? 1
        return window
    }

    func endWindow() throws -> Window {
        try askForWindow()
        return try readWindow()
    }

    func end() { program.end() }
}
