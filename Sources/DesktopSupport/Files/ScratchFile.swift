// SPDX-License-Identifier: MIT
import CAppSupport
import ConnectionGraph
import Glibc

/// A file that is written without a name, and gets its name when it is whole. It is gone with its last reference, or with its process, until then.
///
/// Where a file system knows no files without names (O_TMPFILE), it has a hidden name and a lock. A process that is killed leaves that behind, and
/// the next file that is made in the folder removes it.
///
/// - Thread: any.
package final class ScratchFile: Sendable {
    /// May be written and read. Its end is the end of the file.
    package let descriptor: Int32
    /// The folder in which it is.
    package let folder: String
    /// The hidden name, on a file system that needs one.
    private let hiddenPath: String?

    private init(_ descriptor: Int32, in folder: String, hiddenPath: String?) {
        self.descriptor = descriptor
        self.folder = folder
        self.hiddenPath = hiddenPath
    }

    deinit {
        // A published file has another name by now.
        if let hiddenPath { unsafe unlink(hiddenPath) }
        close(descriptor)
    }

    /// The folder for files of which nobody knows yet where they are to be: `$TMPDIR`, or the one for large files.
    package static var temporaryFolder: String {
        guard let path = unsafe getenv("TMPDIR"), unsafe strlen(path) > 0 else { return "/var/tmp" }
        return unsafe String(cString: path)
    }

    /// Makes an empty file.
    ///
    /// - Parameter folder: in which it can be published.
    /// - Throws: ``DesktopError`` `refused`.
    package static func make(in folder: String = temporaryFolder) throws -> ScratchFile {
        removeStale(in: folder)
        let descriptor = unsafe pbapp_scratch_create(folder)
        if descriptor >= 0 { return ScratchFile(descriptor, in: folder, hiddenPath: nil) }
        // ENOENT, EISDIR: from systems and file systems that do not know the flag (open(2)).
        guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) else { throw failure(in: folder, errno) }
        return try makeHidden(in: folder)
    }

    // MARK: Hidden names

    private static let prefix = ".pipebus-"
    private static let suffix = ".part"

    private static func makeHidden(in folder: String) throws -> ScratchFile {
        for _ in 0..<16 {
            let path = "\(folder)/\(hiddenName())"
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw failure(in: folder, errno) }
            // Another process may have taken it for a stale one before it was locked.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(path, descriptor) else {
                close(descriptor)
                continue
            }
            return ScratchFile(descriptor, in: folder, hiddenPath: path)
        }
        throw failure(in: folder, EEXIST)
    }

    private static func hiddenName() -> String { prefix + String(UInt64.random(in: .min ... .max), radix: 36) + suffix }

    static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        guard unsafe lstat(path, &named) == 0, unsafe fstat(descriptor, &opened) == 0 else { return false }
        return named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    /// Removes the files of processes that were killed.
    package static func removeStale(in folder: String) {
        for name in FolderListing.names(in: folder) where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = "\(folder)/\(name)"
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // Whoever writes it has it locked.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(path, descriptor) else { continue }
            unsafe unlink(path)
        }
    }

    // MARK: Content

    /// Takes permissions away that another file does not give: whoever may not read that may not read this.
    package func limitPermissions(to mode: UInt32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return }
        _ = fchmod(descriptor, status.st_mode & mode & 0o666)
    }

    /// The size, in bytes.
    package var byteCount: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Takes over another file's content, block by block; shared where the file system can.
    ///
    /// - Parameters:
    ///   - source: a file. Its position is not used.
    ///   - byteCount: the most bytes: a file that somebody makes longer all the time has no end.
    ///   - check: called for each block. What it throws ends that.
    /// - Throws: ``DesktopError`` `refused`; `CancellationError`.
    package func copy(from source: Int32, byteCount: Int, check: () throws -> Void = {}) throws {
        // A file may have holes of any size, and would be copied for a long time before the disk is full.
        var room = statvfs()
        if unsafe fstatvfs(descriptor, &room) == 0 {
            let (bytes, isHuge) = Int(room.f_bavail).multipliedReportingOverflow(by: Int(room.f_frsize))
            guard isHuge || byteCount <= bytes else { throw Self.failure(in: folder, ENOSPC) }
        }
        var place: Int64 = 0
        while place < byteCount {
            try Task.checkCancellation()
            try check()
            let count = pbapp_copy(source, descriptor, place, Int64(byteCount) - place)
            guard count >= 0 else { throw Self.failure(in: folder, errno) }
            guard count > 0 else { return }
            place += count
        }
    }

    // MARK: Publishing

    package enum Publication: Sendable, Hashable {
        case done
        /// There is something of that name.
        case exists
        /// The name is on another file system.
        case elsewhere
    }

    /// Gives the file its name, at once and as a whole.
    ///
    /// - Parameter replacing: whether a file that has the name is replaced. Until then it is there.
    /// - Throws: ``DesktopError`` `refused`.
    package func publish(as path: String, replacing: Bool) throws -> Publication {
        // The name must not come to a file without its content, whatever ends the computer.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.failure(in: folder, errno) }
        if let hiddenPath { return try move(hiddenPath, to: path, replacing: replacing) }
        if unsafe pbapp_link(descriptor, path) { return .done }
        guard errno == EEXIST else { return try Self.outcome(errno, path) }
        guard replacing else { return .exists }
        let hidden = (path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "") + Self.hiddenName()
        // Locked, so that no other process takes it for a stale one.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        guard unsafe pbapp_link(descriptor, hidden) else { throw Self.failure(toName: path, errno) }
        do {
            return try move(hidden, to: path, replacing: true)
        } catch {
            unsafe unlink(hidden)
            throw error
        }
    }

    private func move(_ hidden: String, to path: String, replacing: Bool) throws -> Publication {
        unsafe pbapp_rename(hidden, path, replacing) ? .done : try Self.outcome(errno, path)
    }

    /// What the error of a system call that gives a name means.
    private static func outcome(_ number: Int32, _ path: String) throws -> Publication {
        switch number {
        case EEXIST: return .exists
        case EXDEV: return .elsewhere
        default: throw failure(toName: path, number)
        }
    }

    // MARK: Errors

    static func failure(in folder: String, _ number: Int32) -> DesktopError {
        let reason = unsafe String(cString: strerror(number))
        let advice =
            switch number {
            case ENOSPC, EDQUOT: "make room there"
            case EFBIG: "name a folder on a file system that takes larger files"
            case EROFS, EACCES, EPERM: "name a folder that this user may write"
            case ENOENT, ENOTDIR:
                folder == temporaryFolder
                    ? "let the variable TMPDIR name a folder that is there" : "name a folder that is there"
            default: "name another folder"
            }
        return DesktopError(.refused, "No file can be written in \"\(folder.shown())\" (\(reason)); \(advice).")
    }

    private static func failure(toName path: String, _ number: Int32) -> DesktopError {
        let reason = unsafe String(cString: strerror(number))
        return DesktopError(
            .refused,
            "\"\(path.shown(atMost: 200))\" cannot be made (\(reason)); give the result another name, or another folder."
        )
    }
}
