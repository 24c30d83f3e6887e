// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Glibc

/// A file that an action has made. It has no place in any folder until it is saved, and is gone with its last reference.
///
/// - Thread: any but the audio thread.
/// - Realtime: unsafe.
public final class ActionResult: Sendable {
    /// The file's name, for people: "Speech (Reversed).wav".
    public let name: String
    /// The type that its header has.
    public let type: MIMEType
    /// What the action says about it, for people, such as that a limit was reached; empty if there is nothing to say.
    public let note: String
    let file: ScratchFile

    init(name: String, type: MIMEType, note: String, file: ScratchFile) {
        (self.name, self.type, self.note, self.file) = (name, type, note, file)
    }

    /// The size, in bytes.
    public var byteCount: Int { file.byteCount }

    /// The file with a descriptor of its own, which is closed afterwards.
    ///
    /// - Throws: ``ActionFailure`` `unreadable`, and what the body throws.
    public func withDescriptor<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        guard let own = OwnedDescriptor.reopened(file.descriptor) else {
            throw ActionFailure(.unreadable, "\"\(name)\" cannot be opened again; close other files.")
        }
        return try withExtendedLifetime(own) { try body(own.number) }
    }

    /// The result as a file for another action.
    public var asFile: ActionFile {
        get throws(ActionFailure) { try ActionFile.descriptor(file.descriptor, name: name, type: type) }
    }

    /// Saves the file in a folder under its name, or with a number behind it if there is such a file: nothing is replaced.
    ///
    /// - Returns: the path.
    /// - Throws: ``ActionFailure`` `unwritable`.
    @discardableResult
    public func save(in folder: String) throws -> String {
        try SavedFile.save(file, named: name, in: folder)
    }

    /// Saves the file under a name of the caller. It gets there at once and as a whole.
    ///
    /// - Parameter replacing: whether a file that is there is replaced.
    /// - Throws: ``ActionFailure`` `unwritable`.
    public func save(as path: String, replacing: Bool = false) throws {
        try SavedFile.save(file, as: path, replacing: replacing)
    }
}
