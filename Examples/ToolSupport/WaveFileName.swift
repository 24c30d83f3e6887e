// SPDX-License-Identifier: MIT
import ArgumentParser

/// Names of WAV files on a command line.
package enum WaveFileName {
    /// Extensions of other formats, which a program would choose by the name.
    private static let otherFormats = ["aif", "aiff", "flac", "m4a", "mp3", "ogg", "opus"]

    /// Checks the name of a WAV file that a tool writes.
    ///
    /// - Throws: `ValidationError` for the name of a folder, and for one with another format's extension.
    package static func check(_ path: String, for option: String, of tool: String) throws {
        guard !path.hasSuffix("/") else {
            throw ValidationError("\(option) names the folder \(path); name a file, such as \(path)take.wav.")
        }
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let format = parts.last?.lowercased(), otherFormats.contains(format) else { return }
        throw ValidationError("\(option) names \(path), but \(tool) writes WAV files; end the name in .wav.")
    }
}
