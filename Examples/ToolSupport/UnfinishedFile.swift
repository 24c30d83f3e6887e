// SPDX-License-Identifier: MIT
import Glibc

/// A file that is written under a name of its own, in the folder of the file that it becomes once it is complete.
///
/// The name is free or the old file's until then. What a program leaves there when it is killed, the next one removes: nobody has its
/// lock any more.
///
/// - Thread: any, one at a time; ``discard()`` at any moment.
package final class UnfinishedFile: Sendable {
    /// To be written and closed.
    package let output: OutputFile
    private let path: String
    private let isReplacing: Bool
    /// A descriptor that holds the lock until the file has its name.
    private let lock: Int32

    private static let (prefix, suffix) = (".pipebus-", ".part")

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: its name in the end.
    ///   - isReplacing: whether a file of that name may be replaced. The new one has its permissions then.
    /// - Throws: ``ToolFailure``.
    package init(for path: String, replacing isReplacing: Bool) throws {
        let final = try Self.target(of: path, replacing: isReplacing)
        let folder = final.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(final[...$0]) } ?? ""
        Self.removeAbandoned(in: folder)
        var made: OutputFile?
        // Another program may take a file for an abandoned one before it has its lock.
        for _ in 0..<100 where made == nil {
            let name = "\(folder)\(Self.prefix)\(String(UInt32.random(in: 0...(.max)), radix: 16))\(Self.suffix)"
            made = try OutputFile.locked(path: name, reportedAs: path)
        }
        guard let made else { throw ToolFailure("\(path) cannot be written: its folder is too busy; try again.") }
        output = made
        lock = made.duplicateDescriptor()
        self.path = final
        self.isReplacing = isReplacing
        var status = stat()
        if isReplacing, unsafe stat(final, &status) == 0 { made.setMode(status.st_mode & 0o777) }
    }

    deinit { if lock >= 0 { close(lock) } }

    /// Checks a name, before there is anything to write.
    ///
    /// - Throws: ``ToolFailure``.
    package static func check(_ path: String, replacing isReplacing: Bool) throws {
        _ = try target(of: path, replacing: isReplacing)
    }

    /// The path of the file itself: links are followed.
    private static func target(of path: String, replacing isReplacing: Bool) throws -> String {
        guard !path.isEmpty else { throw ToolFailure("The name of the file is empty; name a file.") }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return path }
        guard unsafe stat(path, &status) == 0 else {
            throw ToolFailure("\(path) is a link to a file that is not there; name that file, or remove the link.")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure(
                "\(path) is \(status.st_mode & S_IFMT == S_IFDIR ? "a folder; name a file in it" : "not a file; name one that is, or a new one")."
            )
        }
        guard isReplacing else { throw occupied(path) }
        guard let real = unsafe realpath(path, nil) else {
            throw ToolFailure("\(path) cannot be written: \(SoundFileError.advice()).")
        }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func occupied(_ path: String) -> ToolFailure {
        ToolFailure("\(path) is there already; name another file, or give --force to replace it.")
    }

    /// Gives the complete file its name.
    ///
    /// - Throws: ``ToolFailure``; the file is removed then.
    package func publish() throws {
        do {
            if isReplacing { try rename() } else { try link() }
        } catch {
            discard()
            throw error
        }
    }

    private func rename() throws {
        guard unsafe Glibc.rename(output.path, path) == 0 else { throw failure() }
    }

    /// A link is not made if the name is taken by now. Some file systems have none.
    private func link() throws {
        if unsafe Glibc.link(output.path, path) == 0 { return discard() }
        guard errno != EEXIST else { throw Self.occupied(path) }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw failure() }
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { throw Self.occupied(path) }
        try rename()
    }

    /// Removes the file, unless it has its name already. Idempotent.
    package func discard() { unsafe unlink(output.path) }

    private func failure() -> ToolFailure { ToolFailure("\(path) cannot be written: \(SoundFileError.advice()).") }

    // MARK: Files of programs that were killed

    private static func removeAbandoned(in folder: String) {
        guard let entries = unsafe opendir(folder.isEmpty ? "." : folder) else { return }
        defer { unsafe closedir(entries) }
        while let entry = unsafe readdir(entries) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.hasPrefix(prefix), name.hasSuffix(suffix) { removeIfAbandoned(folder + name) }
        }
    }

    private static func removeIfAbandoned(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        unsafe unlink(path)
    }
}
