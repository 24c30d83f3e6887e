// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient

/// A program in a process of its own, with its output by lines, and a bound on every wait.
///
/// The process ends with the object at the latest: it is killed, or its input ends if it must clean up.
///
/// - Thread: any.
package final class ChildProcess: Sendable {
    /// The end of the process.
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The way in which the object ends the process.
    package enum EndMethod: Sendable { case kill, endOfInput }

    /// The state of the process. It outlives the object, for the thread that waits for the end.
    struct State {
        /// `nil` once it is reaped. Then the number may be another process's.
        var pid: pid_t?
        var ending: Ending?
        /// This process's end of the child's standard input.
        var input: Int32?
    }

    /// The name in errors.
    package let name: String
    package let pid: Int32
    package let output: LineLog
    package let errors: LineLog
    private let state: Monitor<State>
    private let endMethod: EndMethod

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path, or its name in `PATH`.
    ///   - environment: the whole environment; by default this process's own.
    ///   - keepsWholeOutput: whether the output is kept from its start, however long it is.
    /// - Throws: ``TestKitError`` if there is no such program.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        endMethod: EndMethod = .kill, keepsWholeOutput: Bool = false
    ) throws {
        self.endMethod = endMethod
        name = String(program.split(separator: "/").last ?? "")
        output = LineLog(isWhole: keepsWholeOutput)
        errors = LineLog()
        state = Monitor(State())
        let spawned = try Self.start(state) {
            try Spawn(program, arguments, environment ?? ChildEnvironment.current)
        }
        pid = spawned.pid
        BlockingThread.start { [output, errors] in
            PipeReader.read([(spawned.output, output), (spawned.errors, errors)])
        }
    }

    /// Starts a process on the thread that will wait for its end. A process with a parent-death signal gets it when that
    /// thread ends, not this process (prctl(2), PR_SET_PDEATHSIG).
    private static func start(_ state: Monitor<State>, _ spawn: @escaping @Sendable () throws -> Spawn) throws -> Spawn
    {
        let result = Monitor<Result<Spawn, any Error>?>(nil)
        BlockingThread.start {
            let spawned = Result(catching: spawn)
            if case .success(let spawned) = spawned {
                state.update { ($0.pid, $0.input) = (spawned.pid, spawned.input) }
            }
            result.update { $0 = spawned }
            if case .success(let spawned) = spawned { reap(spawned.pid, state) }
        }
        guard let spawned = result.wait(within: .seconds(600), { $0 }) else {
            throw TestKitError("The system did not start a process within ten minutes.")
        }
        return try spawned.get()
    }

    deinit {
        state.update { state in
            if endMethod == .kill, let pid = state.pid { kill(pid, SIGKILL) }
            if let input = state.input { close(input) }
        }
    }

    // MARK: Input and signals

    /// Writes a line to the process's standard input. Without effect once the process has ended.
    package func send(_ line: String) {
        state.update { state in
            guard let input = state.input else { return }
            var bytes = Array("\(line)\n".utf8)[...]
            while !bytes.isEmpty {
                // A socket, not a pipe: writing to a pipe without a reader would end this process.
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

    /// Sends a signal. `false` if the process has ended.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        state.update { state in
            guard let pid = state.pid else { return false }
            return kill(pid, number) == 0
        }
    }

    /// Suspends the process for a while, as a debugger or a lack of memory does.
    package func suspend(for time: Duration) async throws {
        signal(SIGSTOP)
        try await Task.sleep(for: time)
        signal(SIGCONT)
    }

    // MARK: Waiting

    /// The next line of standard output that fits; earlier lines are skipped.
    ///
    /// - Throws: ``TestKitError`` with the process's output, if no line comes in time or the output ends.
    @discardableResult
    package func nextLine(
        within timeout: Duration = .seconds(10), where fits: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> String {
        try await BlockingThread.run { [self] in
            if let line = output.next(within: timeout, where: fits) { return line }
            throw failure(
                output.hasEnded
                    ? "ended without the line that was waited for"
                    : "did not write the line that was waited for within \(timeout.inWords)")
        }
    }

    /// Waits until the process has ended and all its output is read.
    ///
    /// - Throws: ``TestKitError`` with the process's output, if it does not end in time.
    @discardableResult
    package func waitForEnd(within timeout: Duration = .seconds(10)) async throws -> Ending {
        try await BlockingThread.run { [self] in
            guard let ending = state.wait(within: timeout, { $0.ending }) else {
                throw failure("did not end within \(timeout.inWords)")
            }
            // A grandchild may hold the other ends for longer; its output is not waited for.
            output.waitForEnd(orSilenceOf: .milliseconds(200), within: timeout)
            errors.waitForEnd(orSilenceOf: .milliseconds(200), within: timeout)
            return ending
        }
    }

    /// The end of the process; `nil` while it runs.
    package var ending: Ending? { state.update { $0.ending } }

    /// An error with the process's output.
    package func failure(_ what: String) -> TestKitError {
        func tail(_ log: LineLog) -> String { log.lines.suffix(40).joined(separator: "\n") }
        return TestKitError(
            "\(name) (process \(pid)) \(what).\n--- its output\n\(tail(output))\n--- its errors\n\(tail(errors))")
    }

    private static func reap(_ pid: pid_t, _ state: Monitor<State>) {
        var info = unsafe siginfo_t()
        // Waits, but keeps the number taken until no signal can be sent to it any more.
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
