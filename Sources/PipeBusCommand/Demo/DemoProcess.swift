// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTesting
import ToolSupport

/// One of the demo's three processes.
struct DemoProcess: Sendable {
    let child: ChildProcess
    let tool: String
    /// The app's name in the graph.
    let name: String

    /// - Throws: the process's sentence, if it ended.
    func checkItRuns() throws {
        if child.ending != nil { throw failure }
    }

    /// - Throws: the process's sentence, if it ended with an error.
    func checkItHasNotFailed() throws {
        if let ending = child.ending, ending != .exited(0) { throw failure }
    }

    /// Requests the process to end.
    func end() { child.signal(SIGINT) }

    /// Waits for the end of the process, and returns the figures that it printed.
    func figures(within timeout: Duration) async throws -> [String: String] {
        do {
            guard try await child.waitForEnd(within: timeout) == .exited(0) else { throw failure }
        } catch is TestKitError {
            throw ToolFailure(
                "\(tool) did not end within \(timeout.components.seconds) s; see with \"pipebus top\" whether a driver runs the graph in time, and try again."
            )
        }
        let line: String = child.output.lines.last ?? ""
        var figures: [String: String] = [:]
        for pair in line.split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { figures[String(parts[0])] = String(parts[1]) }
        }
        return figures
    }

    /// The sentence with which the tool ended.
    private var failure: ToolFailure {
        ToolFailure(child.errors.lines.last ?? "\(tool) ended without a message; start it by itself to see why.")
    }
}
