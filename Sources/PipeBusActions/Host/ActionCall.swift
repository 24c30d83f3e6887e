// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport
import Glibc

/// One run of one action: what it is given, and how long it may take.
struct ActionCall: Sendable {
    struct Input: Sendable {
        var name: String
        var type: MIMEType
        var descriptor: OwnedDescriptor
        /// What keeps a copy: ``ActionCall/copied()``.
        var copy: ScratchFile?
    }

    var action: InstalledAction
    var inputs: [Input]
    var parameters: [String: ActionValue]
    var activationToken: String?
    var limits: ActionLimits
    /// When the time limit for all of it is over.
    var deadline: ContinuousClock.Instant?
    /// Where the results are made.
    var folder: String

    func failure(_ code: ActionFailure.Code, _ sentence: String) -> ActionFailure {
        ActionFailure(code, "\(action.name) \(sentence)")
    }

    /// Why the run ends now: `CancellationError`, or ``ActionFailure`` `timedOut`; `nil` if it goes on.
    var reasonToEnd: (any Error)? {
        if Task.isCancelled { return CancellationError() }
        guard let deadline, let whole = limits.whole, .now > deadline else { return nil }
        return failure(.timedOut, "was not done within \(whole.words); give it more time.")
    }

    /// Throws ``reasonToEnd``, if there is one.
    func checkTime() throws { if let reasonToEnd { throw reasonToEnd } }

    // MARK: Inputs

    /// The same call on copies of the files, shared where the file system can.
    ///
    /// An action gets no file of the user: a process that has a descriptor for reading opens the file for writing by `/proc/self/fd` (proc(5)).
    ///
    /// - Throws: ``ActionFailure`` `unreadable`, `unwritable`, `timedOut`; `CancellationError`.
    @concurrent
    func copied() async throws -> ActionCall {
        var call = self
        for place in inputs.indices {
            do {
                let file = try ScratchFile.make(in: folder)
                try copy(inputs[place], into: file)
                guard let descriptor = OwnedDescriptor.reopened(file.descriptor) else {
                    throw ActionFailure(
                        .unreadable, "\"\(inputs[place].name)\" cannot be opened again; close other files.")
                }
                call.inputs[place].descriptor = descriptor
                call.inputs[place].copy = file
            } catch let error as DesktopError {
                throw ActionFailure(.unwritable, error.message)
            }
        }
        return call
    }

    /// Takes over what a file holds, as a whole.
    ///
    /// - Throws: ``ActionFailure`` `unreadable` if another program changes it meanwhile, `timedOut`; ``DesktopError``; `CancellationError`.
    func copy(_ input: Input, into file: ScratchFile) throws {
        let source = input.descriptor
        try withExtendedLifetime(source) {
            guard let before = FileVersion(of: source.number) else {
                throw ActionFailure(.unreadable, "\"\(input.name)\" cannot be read; name a sound file.")
            }
            // First: the file has a name where the file system wants one.
            file.limitPermissions(to: source.permissions)
            try file.copy(from: source.number, byteCount: before.byteCount, check: checkTime)
            guard FileVersion(of: source.number) == before, file.byteCount == before.byteCount else {
                throw ActionFailure(
                    .unreadable,
                    "\"\(input.name)\" was changed by another program while it was read; try again once that is done.")
            }
        }
    }

    // MARK: Results

    /// Takes a file of the action over: a copy, which nobody else can change, and which is a sound.
    ///
    /// - Parameters:
    ///   - name: as the action says. It may be anything.
    ///   - note: as the action says.
    /// - Throws: ``ActionFailure`` `invalidResult`, `unwritable`; `CancellationError`.
    @concurrent
    func result(of descriptor: Int32, named name: String, note: String = "") async throws -> ActionResult {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure(.invalidResult, "gave something that is no file; ask its author to mend it.")
        }
        guard status.st_size > 0 else {
            throw failure(.invalidResult, "gave an empty file; ask its author to mend it.")
        }
        guard OwnedDescriptor.isReadable(descriptor) else {
            throw failure(.invalidResult, "gave a file that may not be read; ask its author to mend it.")
        }
        let file: ScratchFile
        do {
            file = try ScratchFile.make(in: folder)
            for input in inputs { file.limitPermissions(to: input.descriptor.permissions) }
            try file.copy(from: descriptor, byteCount: Int(status.st_size), check: checkTime)
        } catch let error as DesktopError {
            throw ActionFailure(.unwritable, error.message)
        }
        let format: SoundFormat
        do {
            format = try SoundInput(descriptor: file.descriptor, name: "The result of \(action.name)").format
        } catch {
            throw failure(
                .invalidResult, "gave a file that is no sound; ask its author to mend it.")
        }
        return ActionResult(
            name: self.name(for: name, format), type: format.mimeType,
            note: note.shown(atMost: 1000), file: file)
    }

    /// A file's name for a result, with an extension that its content has.
    private func name(for given: String, _ format: SoundFormat) -> String {
        let fallback = ResultName.of(
            inputs.first?.name ?? "Sound", suffix: action.suffix, fileExtension: format.fileExtension)
        guard let name = ResultName.cleaned(given) else { return fallback }
        let isSound =
            MIMEType(ofFileNamed: name, beginning: []).conforms(to: format.mimeType)
            || MIMEType(ofFileNamed: name, beginning: []).isSound
        return isSound ? name : ResultName.stem(of: name, atMost: 240) + "." + format.fileExtension
    }
}
