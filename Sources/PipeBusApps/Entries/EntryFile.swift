// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// The file of a desktop entry.
struct EntryFile {
    let path: String

    /// More bytes than any entry has.
    private static let longest = 1 << 18

    /// What stands at the path.
    enum Kind { case missing, file, link, other }

    var kind: Kind {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .missing }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFLNK: return .link
        default: return .other
        }
    }

    /// Reads the entry.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument` for what is no entry, or too long to be one.
    func read() throws -> KeyFile {
        // A pipe without a writer must not block this program.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("be read") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.longest
        else {
            throw PipeBusError(
                .invalidArgument, "\(shown) is no desktop entry, or is longer than any; remove it and register again.")
        }
        var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure("be read") }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.longest, let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw PipeBusError(
                .invalidArgument, "\(shown) is no desktop entry in UTF-8; remove it and register again.")
        }
        do {
            return try KeyFile(text: text)
        } catch let error as GLibError {
            throw PipeBusError(
                .invalidArgument,
                "\(shown) is no desktop entry (\(TerminalText.printable(error.message))); remove it and register again."
            )
        }
    }

    /// Replaces the entry as a whole: until then the old one is there.
    ///
    /// - Throws: ``PipeBusError`` `noPermission`.
    func replace(with text: String) throws {
        let temporary = "\(path).\(getpid()).tmp"
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("be written") }
        let isWritten = write(text, to: descriptor)
        guard close(descriptor) == 0, isWritten, unsafe rename(temporary, path) == 0 else {
            let failure = failure("be written")
            unsafe unlink(temporary)
            throw failure
        }
    }

    private func write(_ text: String, to descriptor: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        // The name must not come to a file without its content, whatever ends the computer.
        return fsync(descriptor) == 0
    }

    /// - Throws: ``PipeBusError`` `noPermission`.
    func remove() throws {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("be removed") }
    }

    /// The error of the last system call.
    private func failure(_ what: String) -> PipeBusError {
        let reason = unsafe String(cString: strerror(errno))
        return PipeBusError(
            .noPermission, "\(shown) cannot \(what) (\(reason)); make its folder one that this user may write.")
    }

    private var shown: String { "\"\(TerminalText.printable(path))\"" }
}
