// SPDX-License-Identifier: MIT

/// Names of files, made of what other people call things.
package enum FileName {
    /// In bytes; with a number and an ending behind it, it is still what every file system takes.
    private static let longest = 100

    /// A name in one folder, without an ending: no separators, nothing that a terminal or a shell takes for something
    /// else, not hidden, and bounded.
    package static func safe(_ title: String) -> String {
        var name = String.UnicodeScalarView()
        var length = 0
        for scalar in title.unicodeScalars {
            let kept = isSafe(scalar) ? scalar : "_"
            // One dot or dash in front hides a file, or makes an option of it.
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
        // What cannot be seen, or looks like a space, is not kept either.
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: return false
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}
