// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Names of results: "Speech.wav" and "Reversed" give "Speech (Reversed).wav".
enum ResultName {
    /// As many bytes as a file's name has on nearly all file systems.
    static let longest = 255

    /// - Parameters:
    ///   - name: that of the input, with or without an extension.
    ///   - fileExtension: of the result; without a dot.
    static func of(_ name: String, suffix: String, fileExtension: String) -> String {
        let end = " (\(suffix))" + (fileExtension.isEmpty ? "" : ".\(fileExtension)")
        return stem(of: name, atMost: longest - end.utf8.count) + end
    }

    /// The name with a number, for a folder that has a file of the name.
    static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, dotted) = split(name)
        // A long name is cut before what is in parentheses.
        let scalars = stem.unicodeScalars
        let open = scalars.last == ")" ? scalars.lastIndex(of: "(") : nil
        let kept = open.map { String(scalars[$0...]) } ?? ""
        let isKept = kept.utf8.count < 128
        let end = (isKept ? kept : "") + " \(number)" + dotted
        let beginning = isKept ? String(scalars[..<(open ?? scalars.endIndex)]) : stem
        return bounded(beginning, atMost: longest - end.utf8.count) + end
    }

    /// A name that another program gave, made one that a file can have: one line without slashes, dots and dashes at its beginning, and
    /// what a terminal would act on. A dash would make it an option of commands.
    ///
    /// - Returns: `nil` if nothing is left of it.
    static func cleaned(_ name: String) -> String? {
        let scalars = name.unicodeScalars.prefix(4 * longest).map { $0 == "/" || $0 == "\0" ? "_" : $0 }
        var text = String(String.UnicodeScalarView(scalars)).printable
        while let first = text.utf8.first, [UInt8(ascii: "."), UInt8(ascii: "-"), 0x20].contains(first) {
            text = String(text.unicodeScalars.dropFirst())
        }
        let (stem, dotted) = split(withoutLastSpaces(text))
        // A longer name may end with a space where it is cut.
        let name = withoutLastSpaces(bounded(stem, atMost: longest - dotted.utf8.count) + dotted)
        return name.isEmpty ? nil : name
    }

    private static func withoutLastSpaces(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }

    static func isSuffix(_ text: String) -> Bool { !text.utf8.contains(UInt8(ascii: "/")) }

    /// The extension of a name or path, without its dot.
    static func fileExtension(of path: String) -> String { String(split(path).dotted.unicodeScalars.dropFirst()) }

    /// The name without its extension.
    static func stem(of name: String, atMost limit: Int = longest) -> String {
        bounded(split(name).stem, atMost: limit)
    }

    /// - Returns: the extension with its dot. One that is longer than any, or has a space, is part of the name.
    private static func split(_ name: String) -> (stem: String, dotted: String) {
        let scalars = name.unicodeScalars
        guard let dot = scalars.lastIndex(of: "."), dot > scalars.startIndex else { return (name, "") }
        let dotted = String(scalars[dot...])
        guard (2...9).contains(dotted.utf8.count), !dotted.utf8.contains(0x20) else { return (name, "") }
        return (String(scalars[..<dot]), dotted)
    }

    /// The beginning of a text, of whole characters of Unicode.
    static func bounded(_ text: String, atMost limit: Int) -> String {
        var scalars = text.unicodeScalars[...]
        while !scalars.isEmpty, String(scalars).utf8.count > limit {
            scalars = scalars.dropLast(max((String(scalars).utf8.count - limit) / 4, 1))
        }
        return String(scalars)
    }
}
