// SPDX-License-Identifier: MIT
package import PipeBusTesting
import XCTest

/// What is left behind by something that must leave nothing, done once or again and again: resident memory and
/// descriptors of processes, and objects of their daemon.
///
/// ```swift
/// var leaks = try await LeakCheck([("App", pid)], at: daemon)
/// for _ in 0..<12 {
///     try await strike()
///     try leaks.measure()
/// }
/// try await leaks.assertNothingIsLeft(by: "a stroke")
/// ```
package struct LeakCheck {
    /// Kilobytes by which a process may grow in all: what libpipewire and the allocator keep for later.
    package static let memory = 12_288

    /// Kilobytes by which a process may grow in each round of many. A whole client takes 200.
    package static let memoryOfARound = 150

    /// With 1.4 a client has the descriptor of a peer's node or not, by the order in which the daemon's messages come.
    package static let spareDescriptors = 2

    /// So many rounds show whether a process grows in each.
    package static let fewestRounds = 12

    private struct Process {
        var name: String
        var pid: Int32
        var before: ProcessFigures
        /// Kilobytes, before the first round and after each.
        var memory: [Int]

        var grown: Int { (memory.last ?? 0) - (memory.first ?? 0) }
        var grownInARound: Int? {
            memory.count > LeakCheck.fewestRounds ? SteadyRise(of: memory.dropFirst()).aRound : nil
        }
    }

    private var processes: [Process] = []
    private let objects: () async throws -> [String]
    private let objectsBefore: [String]
    private let warmUp: Int
    private var rounds = 0

    /// Takes what there is before the first round.
    ///
    /// - Parameters:
    ///   - processes: their names and numbers.
    ///   - warmUp: rounds whose descriptors do not count: the first one opens what lasts as long as the process.
    ///   - objects: the daemon's objects, by their names.
    package init(
        _ processes: [(name: String, pid: Int32)], warmUp: Int = 0, objects: @escaping () async throws -> [String]
    ) async throws {
        self.objects = objects
        self.warmUp = warmUp
        var last = try await objects()
        try await eventually("the daemon's objects to stay the same") {
            let next = try await objects()
            defer { last = next }
            return next == last
        }
        objectsBefore = last
        for (name, pid) in processes {
            let figures = try ProcessFigures(of: pid)
            self.processes.append(Process(name: name, pid: pid, before: figures, memory: [figures.memory]))
        }
    }

    /// - Parameter daemon: the one whose objects count.
    package init(
        _ processes: [(name: String, pid: Int32)], warmUp: Int = 0, at daemon: HeadlessPipeWire
    ) async throws {
        // By a program of the daemon's version: that of 0.3.65 writes no valid JSON of a graph of 1.4.
        try await self.init(processes, warmUp: warmUp) {
            try await GraphDump.take(daemon, client: daemon.installation).names
        }
    }

    /// The end of a round.
    package mutating func measure() throws {
        rounds += 1
        for index in processes.indices {
            processes[index].memory.append(try ProcessFigures.memory(of: processes[index].pid))
            if rounds == warmUp { processes[index].before = try ProcessFigures(of: processes[index].pid) }
        }
    }

    /// Leaves a process out from now on, because it has ended.
    package mutating func forget(_ name: String) { processes.removeAll { $0.name == name } }

    /// Fails if more is left than may be.
    ///
    /// - Parameters:
    ///   - what: what was done.
    ///   - memory: kilobytes by which each process may have grown.
    ///   - spare: descriptors that each process may have more.
    ///   - timeout: time limit for the daemon to forget what has ended.
    package func assertNothingIsLeft(
        by what: String, memory: Int = memory, spareDescriptors spare: Int = spareDescriptors,
        within timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
    ) async throws {
        var after: [String] = []
        do {
            try await eventually("the daemon's objects to be those before", within: timeout) {
                after = try await objects()
                return after == objectsBefore
            }
        } catch { XCTAssertEqual(after, objectsBefore, "\(what): \(error)", file: file, line: line) }
        for process in processes {
            try await assertDescriptors(of: process, what, spare, file, line)
            // A sanitizer's own record grows.
            guard !Sanitizer.isPresent else { continue }
            XCTAssertLessThan(
                process.grown, memory, "\(what): kB more in \(process.name): \(process.memory)", file: file,
                line: line)
            guard let grown = process.grownInARound else { continue }
            XCTAssertLessThan(
                grown, Self.memoryOfARound, "\(what): kB more in \(process.name) in each round: \(process.memory)",
                file: file, line: line)
        }
    }

    private func assertDescriptors(
        of process: Process, _ what: String, _ spare: Int, _ file: StaticString, _ line: UInt
    ) async throws {
        var kinds: [String: Int] = [:]
        do {
            // After an xrun the profiler is bound for ten seconds, and takes some.
            try await eventually("no descriptor more", within: .seconds(30)) {
                let now = try ProcessFigures(of: process.pid)
                kinds = now.kinds
                return now.descriptors <= process.before.descriptors + spare
            }
        } catch is TestKitError {
            XCTFail(
                "\(what): descriptors of \(process.name): \(kinds), before: \(process.before.kinds)", file: file,
                line: line)
        }
    }

    /// The most that a process has grown by, for a table.
    package var words: String {
        guard let most = processes.max(by: { $0.grown < $1.grown }) else { return "nothing was measured" }
        return "\(most.name) \(most.grown) kB" + (rounds > 1 ? " in \(rounds) rounds" : "")
    }
}
