// SPDX-License-Identifier: MIT

/// File names made of the names that other apps choose.
package enum FileName {
    /// The longest name, in bytes. With a number and an extension it still fits every file system.
    private static let longest = 100

    /// A name for a file in one folder, without an extension.
    ///
    /// It has no separators and no characters that a terminal or a shell acts on. It is not hidden, and bounded.
    package static func safe(_ title: String) -> String {
        var name = String.UnicodeScalarView()
        var length = 0
        for scalar in title.unicodeScalars {
            let kept = isSafe(scalar) ? scalar : "_"
            // A leading dot hides a file, and a leading dash makes it look like an option.
            if name.isEmpty, kept == "." || kept == "-" || kept == " " { continue }
            length += String(kept).utf8.count
            guard length <= longest else { break }
            name.append(kept)
        }
        while let last = name.last, last == " " || last == "." { name.removeLast() }
        return name.isEmpty ? "source" : String(name)
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ": return true
        case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": return false
        default: break
        }
        // Invisible characters, and those that look like a space, are replaced.
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: return false
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}
