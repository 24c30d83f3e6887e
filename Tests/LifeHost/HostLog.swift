// SPDX-License-Identifier: MIT
import Glibc

/// A file in which each line is one write, so that lines of several processes stay whole.
struct HostLog: Sendable {
    let path: String

    func write(_ line: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = "\(getpid()) \(line)\n"
        _ = unsafe Glibc.write(descriptor, text, text.utf8.count)
    }
}
