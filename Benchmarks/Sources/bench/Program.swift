// SPDX-License-Identifier: MIT
import Foundation

/// A program that runs on the processor of the workplace, and ends when this one does.
final class Program {
    private let process = Process()
    private let name: String
    private let output: URL
    private let errors: URL

    /// - Parameter name: for error texts and for the files in the workplace's folder that take its output.
    init(_ command: [String], name: String, in place: Workplace) throws {
        self.name = name
        output = place.folder.appendingPathComponent("\(name).out")
        errors = place.folder.appendingPathComponent("\(name).err")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A killed runner leaves no daemon behind: the kernel signals the children.
        process.arguments =
            ["setpriv", "--pdeathsig", "TERM", "taskset", "--cpu-list", "\(place.processor)"] + command
        process.environment = place.environment
        process.currentDirectoryURL = place.folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.emptyFile(output)
        process.standardError = try Self.emptyFile(errors)
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Everything it has printed so far, without a last line that is not complete yet.
    var lines: [Substring] {
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// Waits until it has printed such a line.
    func waitForLine(_ line: String, upTo seconds: Double) throws {
        try wait(upTo: seconds, for: "\(name) to be \(line)") {
            try checkAlive()
            return lines.contains(Substring(line))
        }
    }

    func send(_ signal: Int32) throws {
        try checkAlive()
        kill(process.processIdentifier, signal)
    }

    func checkAlive() throws {
        if !process.isRunning { throw BenchError("\(name) ended: \(lastWords)") }
    }

    private func askToEnd() {
        if process.isRunning { kill(process.processIdentifier, SIGTERM) }
    }

    /// Many of them at once.
    static func end(_ programs: [Program]) {
        for program in programs { program.askToEnd() }
        for program in programs { program.end() }
    }

    /// Asks it to end, and makes it if it does not.
    func end() {
        guard process.isRunning else { return }
        askToEnd()
        do {
            try wait(upTo: 10, for: "\(name) to end") { !process.isRunning }
        } catch {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private var lastWords: String {
        let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
        return text.isEmpty ? "it said nothing" : text.split(separator: "\n").suffix(5).joined(separator: " / ")
    }

    private static func emptyFile(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    /// Runs a short command to its end, for which it has a minute, and returns what it printed.
    ///
    /// - Parameter name: what it is called; the command itself unless given.
    @discardableResult
    static func run(_ command: [String], name: String? = nil, in place: Workplace) throws -> [Substring] {
        let program = try Program(command, name: name ?? command[0], in: place)
        defer { program.end() }
        try wait(upTo: 60, for: "the end of \(command.joined(separator: " "))") { !program.process.isRunning }
        guard program.process.terminationStatus == 0 else {
            throw BenchError("\(command.joined(separator: " ")) failed: \(program.lastWords)")
        }
        return program.lines
    }
}
