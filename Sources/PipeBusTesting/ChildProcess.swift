// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient

/// A program that runs as a process of its own, with what it writes, line by line, and with a bound on every wait.
///
/// It ends when the object goes, at the latest: by being killed, or by the end of its input if it has to clear up then.
///
/// - Thread: any.
package final class ChildProcess: Sendable {
    /// How it ended.
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// How it is made to end when the object goes.
    package enum Farewell: Sendable { case kill, endOfInput }

    /// What is known of the process; outlives the object, for the thread that waits for the end.
    struct State {
        /// `nil` once it is reaped: the number may be another process's then.
        var pid: pid_t?
        var ending: Ending?
        /// Our end of its standard input.
        var input: Int32?
    }

    /// As it is shown in errors.
    package let name: String
    package let pid: Int32
    package let output: LineLog
    package let errors: LineLog
    private let state: Monitor<State>
    private let farewell: Farewell

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path, or its name, to be looked for in `PATH`.
    ///   - environment: all of it; this process's own unless given.
    /// - Throws: ``TestKitError`` if there is no such program.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, farewell: Farewell = .kill
    ) throws {
        self.farewell = farewell
        name = String(program.split(separator: "/").last ?? "")
        let spawned = try Spawn(program, arguments, environment ?? ChildEnvironment.current)
        pid = spawned.pid
        output = LineLog()
        errors = LineLog()
        state = Monitor(State(pid: spawned.pid, input: spawned.input))
        OffPool.start { [output, errors] in
            PipeReader.read([(spawned.output, output), (spawned.errors, errors)])
        }
        OffPool.start { [state, pid] in Self.reap(pid, state) }
    }

    deinit {
        state.update { state in
            if farewell == .kill, let pid = state.pid { kill(pid, SIGKILL) }
            if let input = state.input { close(input) }
        }
    }

    // MARK: Talking to it

    /// Writes a line to its standard input. A process that has gone takes it without a word.
    package func send(_ line: String) {
        state.update { state in
            guard let input = state.input else { return }
            var bytes = Array("\(line)\n".utf8)[...]
            while !bytes.isEmpty {
                // A socket, not a pipe: writing to one whose reader has gone would otherwise end this process.
                let sent = unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return }
                bytes = bytes.dropFirst(sent)
            }
        }
    }

    /// Ends its standard input. Idempotent.
    package func closeInput() {
        state.update { state in
            if let input = state.input { close(input) }
            state.input = nil
        }
    }

    /// Sends a signal. `false` when the process has ended.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        state.update { state in
            guard let pid = state.pid else { return false }
            return kill(pid, number) == 0
        }
    }

    /// Stops the process for a while, as a debugger or a computer that is short of memory does.
    package func suspend(for time: Duration) async throws {
        signal(SIGSTOP)
        try await Task.sleep(for: time)
        signal(SIGCONT)
    }

    // MARK: Waiting

    /// The next line of its standard output that fits; those before it are passed over.
    ///
    /// - Throws: ``TestKitError`` with what it wrote, if none comes in time or the output ends.
    @discardableResult
    package func nextLine(
        within timeout: Duration = .seconds(10), where fits: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> String {
        try await OffPool.run { [self] in
            if let line = output.next(within: timeout, where: fits) { return line }
            throw failure(
                output.hasEnded
                    ? "ended without the line that was waited for"
                    : "did not write the line that was waited for within \(timeout.inWords)")
        }
    }

    /// Waits until the process has ended and all it wrote is here.
    ///
    /// - Throws: ``TestKitError`` with what it wrote, if it goes on for longer.
    @discardableResult
    package func waitForEnd(within timeout: Duration = .seconds(10)) async throws -> Ending {
        try await OffPool.run { [self] in
            guard let ending = state.wait(within: timeout, { $0.ending }) else {
                throw failure("did not end within \(timeout.inWords)")
            }
            // A grandchild may hold the other ends for longer; what it writes is not waited for.
            _ = output.waitForEnd(within: .milliseconds(200)) && errors.waitForEnd(within: .milliseconds(200))
            return ending
        }
    }

    /// How it ended; `nil` while it runs.
    package var ending: Ending? { state.update { $0.ending } }

    /// An error that tells what the process wrote.
    package func failure(_ what: String) -> TestKitError {
        func tail(_ log: LineLog) -> String { log.lines.suffix(40).joined(separator: "\n") }
        return TestKitError(
            "\(name) (process \(pid)) \(what).\n--- its output\n\(tail(output))\n--- its errors\n\(tail(errors))")
    }

    private static func reap(_ pid: pid_t, _ state: Monitor<State>) {
        var info = unsafe siginfo_t()
        // Waits, but leaves the number taken until nobody can send it a signal any more.
        while unsafe waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.update { state in
            var status: Int32 = 0
            unsafe waitpid(pid, &status, 0)
            state.pid = nil
            let signal = status & 0x7F
            state.ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
        }
    }
}
