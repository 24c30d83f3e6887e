// SPDX-License-Identifier: MIT
import ArgumentParser

/// Names of sound files on a command line.
package enum SoundFileName {
    /// Extensions of formats that no tool writes, which a program would choose by the name.
    private static let otherFormats = ["aac", "aif", "aiff", "au", "caf", "m4a", "mp3", "ogg", "opus", "w64", "wma"]

    /// Checks the name of a file that a tool writes.
    ///
    /// - Parameter formats: those that the tool can write; the first one for a name that says none.
    /// - Returns: the format that the name says.
    /// - Throws: `ValidationError` for the name of a folder, and for one with another format's extension.
    @discardableResult
    package static func check(
        _ path: String, for option: String, of tool: String, formats: [FileFormat] = [.wav]
    ) throws -> FileFormat {
        guard !path.hasSuffix("/") else {
            throw ValidationError(
                "\(option) names the folder \(path); name a file, such as \(path)take.\(formats[0].fileExtension).")
        }
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last?.lowercased() else { return formats[0] }
        if let format = formats.first(where: { $0.fileExtensions.contains(ending) }) { return format }
        guard otherFormats.contains(ending) || FileFormat(rawValue: ending) != nil else { return formats[0] }
        throw ValidationError(
            "\(option) names \(path), but \(tool) writes \(list(formats.map(\.name), "and")) files; end the name in "
                + "\(list(formats.map { ".\($0.fileExtensions[0])" }, "or")).")
    }

    private static func list(_ words: [String], _ conjunction: String) -> String {
        let last = words.last ?? ""
        return words.count < 2 ? last : "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}
