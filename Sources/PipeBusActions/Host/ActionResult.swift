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

    /// The same sound in the format of another extension, such as "flac"; this result if it has that already. What the format cannot hold is rounded.
    ///
    /// - Parameter fileExtension: without a dot.
    /// - Throws: ``ActionFailure`` `unwritable`; ``SoundError``; `CancellationError`.
    @concurrent
    public func converted(toExtension fileExtension: String) async throws -> ActionResult {
        let input = try SoundInput(descriptor: file.descriptor, name: name)
        let format = try input.resultFormat.fitting(
            extension: fileExtension, channelCount: input.channelCount, sampleRate: input.sampleRate)
        guard format.fileExtension != input.format.fileExtension else { return self }
        let name = ResultName.stem(of: name, atMost: 240) + "." + format.fileExtension
        do {
            let copy = try ScratchFile.make(in: file.folder)
            let output = try SoundOutput(
                descriptor: copy.descriptor, name: name, format: format, channelCount: input.channelCount,
                sampleRate: input.sampleRate, expectedFrameCount: input.claimedFrameCount)
            output.metadata = input.metadata
            while true {
                try Task.checkCancellation()
                let block = try input.read(upTo: input.blockFrameCount)
                if block.isEmpty { break }
                try output.write(block)
            }
            try output.finish()
            return ActionResult(name: name, type: format.mimeType, note: output.clippingNote(after: note), file: copy)
        } catch let error as DesktopError {
            throw ActionFailure(.unwritable, error.message)
        }
    }

    /// Saves the file in a folder under its name, or with a number behind it if there is such a file: nothing is replaced.
    ///
    /// - Returns: the path.
    /// - Throws: ``ActionFailure`` `unwritable`.
    @discardableResult
    public func save(in folder: String) throws -> String {
        try SavedFile.save(file, named: name, in: folder)
    }

    /// Saves the file under a name of the caller, in the format that it has: ``converted(toExtension:)`` gives another one. It gets there at once and
    /// as a whole.
    ///
    /// - Parameter replacing: whether a file that is there is replaced.
    /// - Throws: ``ActionFailure`` `unwritable`.
    public func save(as path: String, replacing: Bool = false) throws {
        try SavedFile.save(file, as: path, replacing: replacing)
    }
}
