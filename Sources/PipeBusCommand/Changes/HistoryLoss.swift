// SPDX-License-Identifier: MIT
import ToolSupport

/// Why a history lacks changes that were made. Pure.
enum HistoryLoss: Equatable {
    /// The file is none of a history.
    case damagedFile(String)
    /// There was no room for the last change. So the one before it is not the last one.
    case unrecordedChange

    /// The sentence for a person.
    var sentence: String {
        switch self {
        case .damagedFile(let path): "\(path.quoted) is damaged, so the changes up to now are forgotten."
        case .unrecordedChange: "A change could not be recorded, so nothing before it can be undone."
        }
    }
}
