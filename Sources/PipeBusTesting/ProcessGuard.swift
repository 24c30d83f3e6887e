// SPDX-License-Identifier: MIT

/// Removes a private directory, and ends the program that works in it, when the owner closes it or when this process
/// ends, crashes or is killed.
///
/// It is a small shell that reads a stream whose other end only this process holds. When the stream ends, the shell
/// kills the program and removes the directory. It also does so at a time limit.
enum ProcessGuard {
    /// The program's process id is the first line of the output. From then on only the program holds the output, so it
    /// ends with the program. The shell has not waited for the program before it kills it, so the number cannot be
    /// another process's.
    private static let script = """
        directory=$1 limit=$2
        shift 2
        if [ $# -gt 0 ]; then "$@" </dev/null & fi
        program=$!
        echo "$program"
        exec >/dev/null 2>&1
        timeout "$limit" cat
        if [ -n "$program" ]; then kill -KILL "$program"; wait "$program"; fi
        rm -rf -- "$directory"
        """

    /// Starts the shell, and the program if there is one.
    static func start(
        directory: String, limit: Duration, program: [String] = [], environment: [String: String]? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh", ["-c", script, "process-guard", directory, "\(max(limit.components.seconds, 1))"] + program,
            environment: environment, endMethod: .endOfInput)
    }
}
