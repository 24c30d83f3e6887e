// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// The files that may stand at a place of a command line.
enum FileCompletion {
    /// The most names that are offered, and the most that are looked at.
    private static let (most, mostRead) = (500, 20_000)

    /// - Parameter text: what is typed, with the folders before the name.
    /// - Returns: names that begin with it; those of folders end with "/".
    static func names(for text: String) -> [String] {
        let slash = text.lastIndex(of: "/")
        let typedFolder = expanded(slash.map { String(text[...$0]) } ?? "")
        let beginning = slash.map { String(text[text.index(after: $0)...]) } ?? text
        guard let folder = unsafe opendir(typedFolder.isEmpty ? "." : typedFolder) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        for _ in 0..<mostRead {
            guard let entry = unsafe readdir(folder) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            // Hidden ones when their dot is typed.
            guard name.hasPrefix(beginning), name != ".", name != "..", !name.hasPrefix(".") || beginning.hasPrefix(".")
            else { continue }
            var status = stat()
            let isFolder =
                unsafe stat(typedFolder + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            names.append(typedFolder + name + (isFolder ? "/" : ""))
        }
        return Array(names.naturallySorted { $0 }.prefix(most))
    }

    /// A shell hands over "~" as it was typed, and would take it for a name when it comes back.
    private static func expanded(_ folder: String) -> String {
        guard folder.hasPrefix("~/"), let home = unsafe getenv("HOME") else { return folder }
        return unsafe String(cString: home) + folder.dropFirst()
    }
}
