// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Glibc

/// Gives a scratch file its final name, in the folder in which it is, or by a copy in another one.
enum SavedFile {
    /// - Returns: the path.
    /// - Throws: ``ActionFailure`` `unwritable`.
    static func save(_ file: ScratchFile, named name: String, in folder: String) throws(ActionFailure) -> String {
        try failing {
            for number in 1...9999 {
                let path = path(of: number == 1 ? name : ResultName.numbered(name, number), in: folder)
                if try publish(file, as: path, replacing: false) { return path }
            }
            throw ActionFailure(
                .unwritable, "\"\(folder.shown())\" is full of files named \"\(name)\"; name another folder.")
        }
    }

    /// - Throws: ``ActionFailure`` `unwritable`.
    static func save(_ file: ScratchFile, as path: String, replacing: Bool) throws(ActionFailure) {
        try failing {
            var status = stat()
            if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                throw ActionFailure(
                    .unwritable, "\"\(path.shown(atMost: 200))\" is not a file; name one that is, or a new one.")
            }
            // A link stays one: what it names is replaced.
            let target = replacing ? try target(of: path) : path
            guard try publish(file, as: target, replacing: replacing) else {
                throw ActionFailure(
                    .unwritable,
                    "\"\(path.shown(atMost: 200))\" is there already; name another file, or remove that one.")
            }
        }
    }

    /// The file that is replaced.
    private static func target(of path: String) throws -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        // The folder would let it be replaced all the same.
        guard unsafe access(real, W_OK) == 0 else {
            throw ActionFailure(
                .unwritable, "\"\(path.shown(atMost: 200))\" may not be written; name another file.")
        }
        return unsafe String(cString: real)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func name(of path: String) -> String {
        path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
    }

    static func path(of name: String, in folder: String) -> String {
        if folder == "." { return name }
        return folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
    }

    /// - Returns: whether the name was free.
    private static func publish(_ file: ScratchFile, as path: String, replacing: Bool) throws -> Bool {
        switch try file.publish(as: path, replacing: replacing) {
        case .done: return true
        case .exists: return false
        case .elsewhere:
            let copy = try ScratchFile.make(in: folder(of: path))
            try copy.copy(from: file.descriptor, byteCount: file.byteCount)
            return try copy.publish(as: path, replacing: replacing) == .done
        }
    }

    private static func failing<Result>(_ body: () throws -> Result) throws(ActionFailure) -> Result {
        do { return try body() } catch { throw ActionFailure(writing: error) }
    }
}

extension ActionFailure {
    /// The failure of writing a file, in the form of actions.
    init(writing error: any Error) {
        switch error {
        case let failure as ActionFailure: self = failure
        case let error as DesktopError: self.init(.unwritable, error.message)
        case is CancellationError: self.init(.unwritable, "The file was not written, because that was cancelled.")
        default: self.init(.unwritable, "The file could not be written (\(error)).")
        }
    }
}
