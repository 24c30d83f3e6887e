// SPDX-License-Identifier: MIT
import Glibc

/// Reads and writes at a place of a file, whatever the descriptor's own position.
enum PositionedIO {
    /// Reads until the buffer is full or the file ends.
    ///
    /// - Parameter error: gets `errno` if a read fails, and is left alone otherwise.
    /// - Returns: the number of bytes that were read.
    static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at place: Int, error: inout Int32
    ) -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe pread(
                descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(place + done))
            if count < 0, errno == EINTR { continue }
            if count < 0 { error = errno }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    /// Writes all bytes of the buffer.
    ///
    /// - Parameter error: gets `errno` if a write fails, and is left alone otherwise.
    /// - Returns: the number of bytes that were written.
    static func write(
        _ descriptor: Int32, from buffer: UnsafeRawBufferPointer, at place: Int, error: inout Int32
    ) -> Int {
        var done = 0
        while done < buffer.count {
            let count = unsafe pwrite(
                descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(place + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                error = count < 0 ? errno : ENOSPC
                break
            }
            done += count
        }
        return done
    }
}
