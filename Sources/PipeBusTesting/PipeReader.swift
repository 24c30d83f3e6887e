// SPDX-License-Identifier: MIT
import Glibc

/// Reads the output of a program until it ends.
enum PipeReader {
    /// Reads all pipes until all have ended, and closes them. Blocks.
    static func read(_ pipes: [(descriptor: Int32, log: LineLog)]) {
        var polled = pipes.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var open = pipes.count
        while open > 0 {
            guard unsafe poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { break }
            for index in pipes.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
                let count = unsafe Glibc.read(pipes[index].descriptor, &buffer, buffer.count)
                if count > 0 {
                    pipes[index].log.append(buffer.prefix(count))
                } else if count == 0 || errno != EINTR {
                    pipes[index].log.end()
                    close(pipes[index].descriptor)
                    // poll skips a negative descriptor.
                    polled[index].fd = -1
                    open -= 1
                }
            }
        }
    }
}
