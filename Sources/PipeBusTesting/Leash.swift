// SPDX-License-Identifier: MIT

/// Sees to it that nothing is left of a private directory, and of the program that works in it, once we have gone:
/// whether we let go of it, or crash, or are killed.
///
/// It is a small shell that reads a stream whose other end only this process holds. When the stream ends, it kills the
/// program and removes the directory; and it does so after a while in any case.
enum Leash {
    /// The program's process id is the first line of the output. Program and nobody else holds the output from then on,
    /// so it ends when the program does. The program is ours until we waited for it, so the number cannot be another's.
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
            "/bin/sh", ["-c", script, "leash", directory, "\(max(limit.components.seconds, 1))"] + program,
            environment: environment, farewell: .endOfInput)
    }
}
