// SPDX-License-Identifier: MIT
import Glibc

/// Reads files that other programs have made: they may be endless, or no files at all.
package enum BoundedFile {
    package enum Failure: Error {
        /// A system call failed with this number.
        case system(Int32)
        /// It is a folder, a device, a pipe or a socket.
        case noFile
        case tooLong
    }

    /// Reads a whole file. Links are followed.
    ///
    /// - Parameter limit: the most bytes that a file may have.
    package static func bytes(at path: String, upTo limit: Int) throws(Failure) -> [UInt8] {
        var status = stat()
        // First, because a device may act on being opened.
        guard unsafe stat(path, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
        // If it is a pipe by now, one without a writer must not block this program.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
        guard status.st_size <= limit else { throw .tooLong }
        return try bytes(of: descriptor, upTo: limit, expected: Int(status.st_size))
    }

    private static func bytes(of descriptor: Int32, upTo limit: Int, expected: Int) throws(Failure) -> [UInt8] {
        // The file may grow meanwhile.
        var bytes = [UInt8](repeating: 0, count: expected + 1)
        var count = 0
        while true {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system(errno) }
            guard got > 0 else { break }
            count += got
            guard count <= limit else { throw .tooLong }
            if count == bytes.count { bytes += [UInt8](repeating: 0, count: min(limit + 1 - count, 1 << 16)) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// The text of a file in UTF-8; `nil` for anything else.
    package static func text(at path: String, upTo limit: Int) -> String? {
        guard let bytes = try? bytes(at: path, upTo: limit) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
