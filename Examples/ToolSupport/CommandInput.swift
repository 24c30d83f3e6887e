// SPDX-License-Identifier: MIT
import Glibc

/// Lines that a person types, or another program writes, while a tool runs.
package enum CommandInput {
    /// The longest line, in bytes; the rest of a longer one is dropped. No command is longer.
    private static let longest = 1000

    /// The lines of standard input, if that is a terminal or a pipe. The sequence ends with the input, and at once for
    /// any other input.
    ///
    /// - Throws: ``ToolFailure`` when there is no thread for reading.
    package static func lines() throws -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1000))
        guard isTerminal || isPipe else {
            continuation.finish()
            return lines
        }
        // A tool in the background of a terminal would be stopped when it reads. Now it gets an error instead.
        signal(SIGTTIN, SIG_IGN)
        _ = try BlockingThread.start {
            // When so many lines wait, the other program waits too, as at any full pipe, and none of its lines is lost.
            read { line in while case .dropped = continuation.yield(line) { usleep(10_000) } }
            continuation.finish()
        }
        return lines
    }

    private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    private static var isPipe: Bool {
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Reads until the input ends. While the tool is in the background of its terminal there is no input.
    private static func read(_ give: (String) -> Void) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EIO, isTerminal, tcgetpgrp(STDIN_FILENO) != getpgrp() {
                sleep(1)
                continue
            }
            guard count > 0 else { break }
            for byte in buffer[..<count] {
                if byte == UInt8(ascii: "\n") {
                    give(String(decoding: line, as: UTF8.self))
                    line = []
                } else if line.count < longest {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { give(String(decoding: line, as: UTF8.self)) }
    }
}
