// SPDX-License-Identifier: MIT
import Glibc

/// A file without a name, which is gone with its descriptor, however the process ends.
///
/// It is in the folder that `TMPDIR` names, or else in `/var/tmp`: it may become large, and `/tmp` is often in memory.
///
/// - Thread: any that may wait for the disk.
final class TemporaryFile {
    let descriptor: Int32
    let folder: String

    private static let defaultFolder = "/var/tmp"

    /// - Parameter name: of the file for which it is needed.
    /// - Throws: ``SoundError``.
    init(for name: String) throws {
        var reason: Int32 = 0
        for folder in [unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "", Self.defaultFolder]
        where !folder.isEmpty {
            let descriptor = Self.open(in: folder)
            if descriptor >= 0 {
                self.descriptor = descriptor
                self.folder = folder
                return
            }
            reason = errno
        }
        throw SoundError(
            .unwritable,
            "\(name) needs a temporary file, which cannot be made in \(Self.defaultFolder) (\(SystemErrors.text(reason))); name another folder in the variable TMPDIR."
        )
    }

    deinit { close(descriptor) }

    /// - Returns: a negative number on failure, with the reason in `errno`.
    private static func open(in folder: String) -> Int32 {
        // The module for the C library does not have O_TMPFILE, which is this with O_DIRECTORY.
        let temporary = Int32(0o20_000_000) | O_DIRECTORY
        let descriptor = unsafe Glibc.open(folder, temporary | O_RDWR | O_CLOEXEC, 0o600)
        // Some file systems have no files without a name.
        guard descriptor < 0, errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else { return descriptor }
        let path = "\(folder)/pipebus-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let named = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if named >= 0 { unsafe unlink(path) }
        return named
    }
}
