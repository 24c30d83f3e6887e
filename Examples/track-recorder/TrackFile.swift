// SPDX-License-Identifier: MIT
import ToolSupport

/// Where a track's file comes from.
enum TrackFile {
    /// The one file of a mixed recording.
    case given(OutputFile)
    /// A new one in a folder, called after its source.
    case new(OutputFolder, title: String)

    var title: String {
        switch self {
        case .given(let file): file.path
        case .new(_, let title): title
        }
    }

    /// - Parameters:
    ///   - isReplacement: one was made already, and is gone.
    ///   - isLast: what finds no file now is lost.
    /// - Throws: ``ToolFailure``.
    func make(isReplacement: Bool, isLast: Bool) throws -> OutputFile {
        switch self {
        case .given(let file):
            guard isReplacement else { return file }
            guard let new = try OutputFile.new(path: file.path) else {
                throw ToolFailure("\(file.path) was replaced by another file while it was written.")
            }
            return new
        case .new(let folder, let title):
            return try folder.newFile(titled: title, remakesFolder: isLast)
        }
    }
}
