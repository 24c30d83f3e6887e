// SPDX-License-Identifier: MIT
import Glibc
import PipeBusActions
import ToolSupport

/// Where the results of actions go.
struct ActionTarget {
    /// The folder in which the results are made.
    let folder: String
    /// The file, if one is named.
    private let path: String?
    private let isReplacing: Bool

    /// - Parameter files: those that are read, of which there is one at least.
    /// - Throws: ``ToolFailure`` for what no result can be.
    init(_ output: String?, force: Bool, besides files: [String]) throws {
        isReplacing = force
        guard let output else {
            (folder, path) = (Self.folder(of: files.first ?? ""), nil)
            return
        }
        var status = stat()
        let exists = unsafe stat(output, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR {
            guard !force else {
                throw ToolFailure("\(output.quoted) is a folder, in which nothing is replaced; leave --force out.")
            }
            (folder, path) = (output, nil)
            return
        }
        guard !output.hasSuffix("/") else { throw ToolFailure("There is no folder \(output.quoted); make it first.") }
        for file in files {
            var other = stat()
            guard exists, unsafe stat(file, &other) == 0 else { continue }
            if other.st_ino == status.st_ino, other.st_dev == status.st_dev {
                throw ToolFailure("\(output.quoted) is a file that is read, which no action changes; name another one.")
            }
        }
        let fileExtension = Self.fileExtension(of: output)
        guard SoundFormat.isWritten(fileExtension: fileExtension) else {
            throw ToolFailure(
                fileExtension.isEmpty
                    ? "\(output.quoted) has no extension, which says its format; end it in .wav, or name a folder."
                    : "No sound file is written as .\(fileExtension); end the name in .wav, .flac or another format.")
        }
        guard !exists || force else {
            throw ToolFailure("\(output.quoted) is there already; name another file, or replace it with --force.")
        }
        (folder, path) = (Self.folder(of: output), output)
    }

    /// The results in the format that the name says, if one is given.
    ///
    /// - Throws: ``ToolFailure``; ``ActionFailure``; `SoundError`; `CancellationError`.
    func converted(_ results: [ActionResult]) async throws -> [ActionResult] {
        guard let path else { return results }
        guard results.count == 1 else {
            throw ToolFailure("The action has made \(results.count) files; name a folder with --output.")
        }
        return [try await results[0].converted(toExtension: Self.fileExtension(of: path))]
    }

    /// - Parameter results: those of ``converted(_:)``.
    /// - Returns: the paths.
    /// - Throws: ``ActionFailure``.
    func save(_ results: [ActionResult]) throws -> [String] {
        guard let path else { return try results.map { try $0.save(in: folder) } }
        try results[0].save(as: path, replacing: isReplacing)
        return [path]
    }

    private static func fileExtension(of path: String) -> String {
        let name = String(path.unicodeScalars.split(separator: "/").last ?? path.unicodeScalars[...]).unicodeScalars
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
