// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests that run the tools as processes: a folder for their files, and clients and daemons that end with the
/// test.
class ToolTestCase: DaemonTestCase {
    private(set) var folder = ""

    override func setUp() {
        let name = "\(NSTemporaryDirectory())/pipebus-tools-XXXXXX"
        folder = unsafe name.withCString { template in
            let copy = unsafe strdup(template)!
            defer { unsafe free(copy) }
            return unsafe String(cString: mkdtemp(copy))
        }
    }

    /// Ends what the test started. Not in `tearDown`, which is the base's: its end of the daemons comes after this.
    private func atEnd(_ work: @escaping @Sendable () async throws -> Void) {
        addTeardownBlock { try await work() }
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Daemons and clients

    func startStepper(sampleRate: Int = 48_000, quantum: Int = 1024) async throws -> GraphStepper {
        let stepper = try await GraphStepper.start(sampleRate: sampleRate, quantum: quantum)
        atEnd { try await stepper.close() }
        return stepper
    }

    func connectClient(to remote: String, as name: String = "Test") async throws -> BusClient {
        let client = try await BusClient.connect(
            as: "org.pipebus.test", name: name, remote: remote, allowsConnectionsToSelf: true)
        atEnd { await client.close() }
        return client
    }

    // MARK: Objects

    /// Removes an object, as a patchbay does.
    func destroy(_ object: String, at daemon: HeadlessPipeWire) async throws {
        let tool = try daemon.run("pw-cli", ["destroy", object])
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(0), tool.errors.text)
    }

    /// The global id of an app's client.
    func clientID(of app: String, at daemon: HeadlessPipeWire) async throws -> String {
        let list = try daemon.run("pw-cli", ["ls", "Client"])
        try await list.waitForEnd()
        // A line "id 33, type …" begins each object.
        var id = ""
        for line in list.output.lines {
            let words = line.split { $0.isWhitespace || $0 == "," }
            if words.first == "id", words.count > 2 { id = String(words[1]) }
            if line.contains("application.name = \"\(app)\"") { return id }
        }
        throw list.failure("did not list \(app)")
    }

    // MARK: Tools

    /// Starts a tool that finds the given daemon, or none.
    func start(
        _ tool: String, _ arguments: [String] = [], at environment: [String: String]? = nil,
        through wrapper: [String] = [], adding more: [String: String] = [:]
    ) throws -> ChildProcess {
        let nowhere = "/nonexistent/pipebus"
        var environment =
            environment
            ?? ChildEnvironment.isolated(
                runtimeDirectory: nowhere, remote: "\(nowhere)/pipewire-0", installation: .system)
        // libpipewire's log is none of a tool's sentences; a machine without real-time priority has some of them.
        environment["PIPEWIRE_DEBUG"] = "0"
        environment.merge(more) { $1 }
        let command = wrapper + [tool.hasPrefix("/") ? tool : Programs.path(of: tool)] + arguments
        let process = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
        atEnd {
            process.signal(SIGKILL)
            try await process.waitForEnd()
        }
        return process
    }

    /// Waits until a tool's port can be used and is in the graph, where it shows before that; fails with what the tool
    /// says if it ends before.
    ///
    /// - Parameter isSaid: false on a terminal, where nothing says that it can be used.
    func waitForPort(
        _ nodeName: String, of process: ChildProcess, seenBy bus: BusClient, isSaid: Bool = true
    ) async throws {
        try await eventually("\(nodeName) to show in the graph") {
            if process.ending != nil { throw process.failure("ended before its port was there") }
            guard !isSaid || process.output.lines.contains("port=\(nodeName)") else { return false }
            return await bus.graph.ports.contains { $0.nodeName == nodeName }
        }
    }

    /// Waits for a tool's end and gives the figures of its last line.
    func figures(
        of process: ChildProcess, ending: ChildProcess.Ending = .exited(0), file: StaticString = #filePath,
        line: UInt = #line
    ) async throws -> [String: String] {
        let actual = try await process.waitForEnd()
        XCTAssertEqual(actual, ending, process.errors.text, file: file, line: line)
        var figures: [String: String] = [:]
        for pair in (process.output.lines.last ?? "").split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { figures[String(parts[0])] = String(parts[1]) }
        }
        return figures
    }

    /// Waits for a tool's end, which must be a failure with one sentence and no other output.
    @discardableResult
    func assertOneSentence(
        _ process: ChildProcess, from tool: String, status: Int32, saying words: String = "",
        file: StaticString = #filePath, line: UInt = #line
    ) async throws -> String {
        let ending = try await process.waitForEnd(within: .seconds(20))
        XCTAssertEqual(ending, .exited(status), process.errors.text, file: file, line: line)
        let sentence = process.errors.text
        XCTAssertEqual(process.errors.lines.count, 1, sentence, file: file, line: line)
        XCTAssertTrue(sentence.hasPrefix("\(tool): "), sentence, file: file, line: line)
        XCTAssertTrue(sentence.hasSuffix("."), sentence, file: file, line: line)
        XCTAssertTrue(sentence.contains(words), "\"\(words)\" is not in: \(sentence)", file: file, line: line)
        XCTAssertLessThan(sentence.utf8.count, 1000, file: file, line: line)
        let controls = sentence.unicodeScalars.filter { $0.properties.generalCategory == .control }
        XCTAssertEqual(controls.count, 0, sentence, file: file, line: line)
        return sentence
    }
}
