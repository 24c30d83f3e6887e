// SPDX-License-Identifier: MIT
import ToolSupport

/// The origin of a track's file.
enum TrackFile {
    /// The only file of a mixed recording.
    case given(OutputFile)
    /// A new file in a folder, named after its source.
    case new(OutputFolder, title: String)

    var title: String {
        switch self {
        case .given(let file): file.path
        case .new(_, let title): title
        }
    }

    /// The title in the file itself, for which the folder says nothing.
    var shortTitle: String { if case .given(let file) = self { OutputFile.name(of: file.path) } else { title } }

    /// Whether making it takes the place of an earlier take, which only sound may.
    var replacesContent: Bool {
        if case .given(let file) = self { file.holdsContent } else { false }
    }

    /// - Parameters:
    ///   - isReplacement: whether a file was made before and is gone.
    ///   - isLast: whether sound without a file is lost after this call.
    /// - Throws: ``ToolFailure``.
    func make(isReplacement: Bool, isLast: Bool) throws -> OutputFile {
        switch self {
        case .given(let file):
            guard isReplacement else { return file }
            guard let new = try OutputFile.new(path: file.path, remakesFolder: isLast) else {
                throw ToolFailure(
                    "\(file.path) was replaced by another file while it was written; record into a file that other programs leave alone."
                )
            }
            return new
        case .new(let folder, let title):
            return try folder.newFile(titled: title, remakesFolder: isLast)
        }
    }
}
