// SPDX-License-Identifier: MIT
import Glibc

/// A folder for new sound files. Its existing content is never touched.
package struct OutputFolder: Sendable {
    package let path: String
    /// Of its new files.
    private let fileExtension: String
    private let wasThere: Bool

    /// Creates the folder if it does not exist, and checks that it can be used.
    ///
    /// - Throws: ``ToolFailure`` if it cannot be used, or if it already holds sound files.
    package init(path: String, format: FileFormat = .wav) throws {
        self.path = path
        fileExtension = format.fileExtension
        wasThere = unsafe mkdir(path, 0o777) != 0
        guard wasThere else { return }
        guard errno == EEXIST else {
            throw ToolFailure(
                "The folder \(path) cannot be made: \(SoundFileError.advice(otherwise: "name another one")).")
        }
        guard let directory = unsafe opendir(path) else {
            let reason = errno == ENOTDIR ? "it is a file" : SoundFileError.systemText
            throw ToolFailure("\(path) cannot be used as a folder: \(reason); name one that can, or a new one.")
        }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if [".wav", ".flac", ".rf64"].contains(where: name.lowercased().hasSuffix) {
                throw ToolFailure(
                    "\(path) holds sound files already, such as \(name); name another folder, or a new one.")
            }
        }
        try checkThatItTakesFiles()
    }

    /// Tries with a new file, because permissions do not show whether a file system is read-only.
    private func checkThatItTakesFiles() throws {
        let probe = "\(path)/.pipebus-\(getpid())"
        let descriptor = unsafe open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ToolFailure("\(path) takes no new files: \(SoundFileError.systemText); name another folder.")
        }
        close(descriptor)
        unsafe unlink(probe)
    }

    /// Creates a sound file named after a title, with a number if the name is taken.
    ///
    /// - Throws: ``ToolFailure``.
    /// - Parameter remakesFolder: whether the folder is created again if it was removed.
    package func newFile(titled title: String, remakesFolder: Bool = false) throws -> OutputFile {
        let name = FileName.safe(title)
        for number in 1...10_000 {
            let file = try OutputFile.new(
                path: "\(path)/\(name)\(number > 1 ? " \(number)" : "").\(fileExtension)", remakesFolder: remakesFolder)
            if let file { return file }
        }
        throw ToolFailure("\(path) holds ten thousand files called \(name); name another folder.")
    }

    /// Removes the folder if it is empty and did not exist before.
    package func discard() {
        if !wasThere { unsafe rmdir(path) }
    }
}
