// SPDX-License-Identifier: MIT
import Glibc

/// Reads what a descriptor gives. A file may be endless.
enum BoundedRead {
    /// - Parameter limit: the most bytes that are wanted.
    /// - Returns: all bytes, or more than the limit if there are more; `nil` for an error, whose number is in `errno`.
    static func bytes(from descriptor: Int32, upTo limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
