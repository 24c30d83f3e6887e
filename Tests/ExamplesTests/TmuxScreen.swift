// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A terminal of a fixed size in which a person would type, made by tmux: with the screen as it is seen.
struct TmuxScreen {
    private let socket: String
    private let environment: [String: String]

    /// Starts a command in a terminal. It ends with ``close()``.
    ///
    /// - Parameters:
    ///   - command: a line for a shell.
    ///   - folder: for the terminal's socket, which nothing else uses.
    static func start(
        _ command: String, columns: Int, rows: Int, in folder: String, environment: [String: String]
    ) async throws -> TmuxScreen {
        try XCTSkipUnless(
            FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not here; run Scripts/setup.sh.")
        var environment = environment
        environment.merge(["LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "PIPEWIRE_DEBUG": "0"]) { $1 }
        // One of its own: a server that is being ended still has its socket for a moment.
        let socket = "\(folder)/tmux\(Int.random(in: 0..<1_000_000))"
        let screen = TmuxScreen(socket: socket, environment: environment)
        try await screen.tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command, ";", "set-option",
            "-g",
            "status", "off", ";", "set-option", "-g", "escape-time", "0", ";", "resize-window", "-x", "\(columns)",
            "-y",
            "\(rows)")
        return screen
    }

    @discardableResult
    private func tmux(_ arguments: String..., mayFail: Bool = false) async throws -> String {
        let process = try ChildProcess(
            "/usr/bin/tmux", ["-u", "-S", socket] + arguments, environment: environment, keepsWholeOutput: true)
        let ending = try await process.waitForEnd()
        if !mayFail, ending != .exited(0) { throw process.failure("has failed: \(arguments)") }
        return process.output.text
    }

    /// The lines as they are seen, without spaces at their ends.
    var lines: [String] {
        get async throws {
            let text = try await tmux("capture-pane", "-p")
            return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                String(line.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    /// Presses keys, by tmux's names of them.
    func press(_ keys: String...) async throws {
        for key in keys { try await tmux("send-keys", "--", key) }
    }

    /// Types letters.
    func type(_ text: String) async throws { try await tmux("send-keys", "-l", "--", text) }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// The number of the process in the terminal.
    var process: Int32 {
        get async throws {
            let text = try await tmux("display-message", "-p", "#{pane_pid}")
            return try XCTUnwrap(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }

    /// Ends the terminal, and what runs in it. Idempotent.
    func close() async throws { try await tmux("kill-server", mayFail: true) }

    /// Waits until the screen is as expected, and fails with the screen as it was last.
    func wait(
        _ what: String, within timeout: Duration = .seconds(20), file: StaticString = #filePath, line: UInt = #line,
        until fits: ([String]) -> Bool
    ) async throws {
        var last: [String] = []
        do {
            try await eventually(what, within: timeout) {
                last = try await lines
                return fits(last)
            }
        } catch {
            XCTFail("\(error), but the screen was:\n\(last.joined(separator: "\n"))", file: file, line: line)
            throw error
        }
    }
}
