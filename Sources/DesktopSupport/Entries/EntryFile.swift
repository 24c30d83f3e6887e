// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph
import Glibc

/// The file of a desktop entry.
package struct EntryFile {
    package let path: String

    package init(path: String) { self.path = path }

    /// More bytes than any entry has.
    package static let longest = 1 << 18

    /// What stands at the path.
    package enum Kind { case missing, file, link, other }

    package var kind: Kind {
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
    /// - Throws: ``DesktopError`` `invalid` for what is no entry, or too long to be one.
    package func read() throws -> KeyFile {
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.bytes(at: path, upTo: Self.longest)
        } catch {
            guard case .system(let number) = error else {
                throw DesktopError(
                    .invalid,
                    "\(shown) is no desktop entry, or is longer than any; remove it and register again.")
            }
            throw failure("be read", because: unsafe String(cString: strerror(number)))
        }
        do {
            return try KeyFile(bytes: bytes)
        } catch is KeyFile.NoText {
            throw DesktopError(
                .invalid, "\(shown) is no desktop entry in UTF-8; remove it and register again.")
        } catch let error as GLibError {
            throw DesktopError(
                .invalid,
                "\(shown) is no desktop entry (\(TerminalText.printable(error.message))); remove it and register again."
            )
        }
    }

    /// Replaces the entry as a whole: until then the old one is there.
    ///
    /// - Throws: ``DesktopError`` `refused`.
    package func replace(with text: String) throws {
        // The name must not come to a file without its content, whatever ends the computer.
        let flags = GFileSetContentsFlags(
            rawValue: G_FILE_SET_CONTENTS_CONSISTENT.rawValue | G_FILE_SET_CONTENTS_DURABLE.rawValue)
        var error: UnsafeMutablePointer<GError>?
        // One that only its owner may read stays so.
        var status = stat()
        let mode = unsafe stat(path, &status) == 0 ? Int32(status.st_mode & 0o777) : 0o644
        guard unsafe g_file_set_contents_full(path, text, gssize(text.utf8.count), flags, mode, &error) != 0 else {
            throw failure("be written", because: unsafe GLibError(taking: error).message)
        }
    }

    /// - Throws: ``DesktopError`` `refused`.
    package func remove() throws {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("be removed") }
    }

    /// The error of the last system call.
    private func failure(_ what: String) -> DesktopError {
        failure(what, because: unsafe String(cString: strerror(errno)))
    }

    private func failure(_ what: String, because reason: String) -> DesktopError {
        DesktopError(
            .refused, "\(shown) cannot \(what) (\(reason)); make its folder one that this user may write.")
    }

    private var shown: String { "\"\(TerminalText.printable(path))\"" }
}
