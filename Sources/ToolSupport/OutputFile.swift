// SPDX-License-Identifier: MIT
import Glibc

/// A file that is to be written once there is something to write. Opened at the start, so that what forbids it is known
/// then; what it held before stays until the first write.
package struct OutputFile: Sendable {
    package let path: String
    let descriptor: Int32
    private let wasThere: Bool

    /// - Throws: ``ToolFailure``.
    package init(path: String) throws {
        self.path = path
        wasThere = unsafe access(path, F_OK) == 0
        // A pipe that nobody reads must not hold us up.
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw ToolFailure("\(path) cannot be written: \(SoundFileError.systemText).") }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ToolFailure("\(path) is not a file and cannot take a recording; name one that is, or a new one.")
        }
    }

    private init(path: String, created descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
        wasThere = false
    }

    /// Makes a file that was not there; `nil` if it was.
    ///
    /// - Throws: ``ToolFailure``.
    static func new(path: String) throws -> OutputFile? {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0, errno == EEXIST { return nil }
        guard descriptor >= 0 else { throw ToolFailure("\(path) cannot be written: \(SoundFileError.systemText).") }
        return OutputFile(path: path, created: descriptor)
    }

    /// Closes a file to which nothing was written, and takes it away again if it was not there before.
    package func discard() {
        close(descriptor)
        if !wasThere { unsafe unlink(path) }
    }
}
