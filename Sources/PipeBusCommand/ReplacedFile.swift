// SPDX-License-Identifier: MIT
import Glibc
import ToolSupport

/// A file that is written as a whole, or not at all: until then the old one is there.
struct ReplacedFile {
    private let path: String
    private let advice: String

    /// - Parameters:
    ///   - example: the name of such a file, for a person who has named a folder.
    ///   - advice: what to do if the file cannot be written.
    /// - Throws: ``ToolFailure`` if no file can be there.
    init(path: String, example: String, advice: String = "name another file") throws {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            let format = status.st_mode & S_IFMT
            if format == S_IFDIR {
                throw ToolFailure(
                    "\(path.quoted) is a folder; name a file in it, such as \"\(Self.inside(path))\(example)\".")
            }
            guard format == S_IFREG || format == S_IFCHR || format == S_IFIFO else {
                throw ToolFailure("\(path.quoted) is not a file; name one that is, or a new one.")
            }
        } else if path.hasSuffix("/") {
            throw ToolFailure("\(path.quoted) is the name of a folder; name a file.")
        }
        (self.path, self.advice) = (path, advice)
    }

    private static func inside(_ folder: String) -> String { folder.hasSuffix("/") ? folder : folder + "/" }

    /// - Throws: ``ToolFailure``.
    func write(_ text: String) throws {
        var status = stat()
        // A pipe or a terminal, such as /dev/stdout, cannot be replaced.
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            return try write(text, to: unsafe open(path, O_WRONLY | O_CLOEXEC))
        }
        // A link stays one: its target is replaced, or made.
        let target = unsafe realpath(path, nil)
        defer { unsafe free(target) }
        // A loop of links has none.
        guard unsafe target != nil || errno == ENOENT else { throw failure() }
        let final = unsafe target.map { unsafe String(cString: $0) } ?? Self.missingTarget(of: path)
        let temporary = "\(final).\(getpid()).tmp"
        // A new file has the permissions that the person's mask leaves.
        let mode = unsafe target == nil ? 0o666 : status.st_mode & 0o777
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        do {
            try write(text, to: descriptor)
        } catch {
            if descriptor >= 0 { unsafe unlink(temporary) }
            throw error
        }
        guard unsafe rename(temporary, final) == 0 else {
            let failure = failure()
            unsafe unlink(temporary)
            throw failure
        }
    }

    /// The file that a link names, which is not there yet; the path itself if it is no link.
    private static func missingTarget(of path: String) -> String {
        var path = path
        // As many as the kernel follows.
        for _ in 0..<40 {
            var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe readlink(path, bytes.bindMemory(to: CChar.self).baseAddress!, bytes.count)
            }
            guard count > 0 else { break }
            let target = String(decoding: bytes[..<count], as: UTF8.self)
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = target.hasPrefix("/") ? target : folder + target
        }
        return path
    }

    private func write(_ text: String, to descriptor: Int32) throws {
        guard descriptor >= 0 else { throw failure() }
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = failure()
                close(descriptor)
                throw failure
            }
            done += count
        }
        guard close(descriptor) == 0 else { throw failure() }
    }

    /// The error of the last system call.
    private func failure() -> ToolFailure {
        ToolFailure("\(path.quoted) cannot be written (\(unsafe String(cString: strerror(errno)))); \(advice).")
    }
}
