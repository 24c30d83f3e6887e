// SPDX-License-Identifier: MIT
import Glibc

/// The icons of apps that are installed here: those of the theme "hicolor", into which every app installs its own.
///
/// Icon Theme Specification of freedesktop.org. Other themes replace these icons for a desktop; a picture of the graph is for any.
struct IconTheme {
    /// The folders with themes, the first that counts first.
    private let folders: [String]
    /// Folders with icons of no theme, which are looked at last.
    private let otherFolders: [String]

    init(folders: [String], otherFolders: [String] = []) {
        self.folders = folders
        self.otherFolders = otherFolders
    }

    /// The icons of this machine and this person.
    static var installed: IconTheme {
        func variable(_ name: String) -> String? {
            guard let value = unsafe getenv(name) else { return nil }
            let text = unsafe String(cString: value)
            return text.isEmpty ? nil : text
        }
        let home = variable("HOME")
        let own = variable("XDG_DATA_HOME") ?? home.map { "\($0)/.local/share" }
        let shared = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        let folders = [home.map { "\($0)/.icons" }, own.map { "\($0)/icons" }].compactMap(\.self)
        return IconTheme(
            folders: (folders + shared.map { "\($0)/icons" }).filter { $0.hasPrefix("/") },
            otherFolders: ["/usr/share/pixmaps"])
    }

    /// The icon with a name that an app has chosen; `nil` if it is not installed.
    func image(named name: String) -> IconImage? {
        // A name is no path.
        guard !name.isEmpty, name.utf8.count <= 128, !name.hasPrefix("."), !name.contains("/"), !name.contains("\0")
        else { return nil }
        for folder in folders {
            for size in Self.sizes(in: "\(folder)/hicolor") {
                for ending in ["svg", "png"] {
                    if let image = Self.read("\(folder)/hicolor/\(size)/apps/\(name).\(ending)") { return image }
                }
            }
        }
        for folder in otherFolders {
            for ending in ["svg", "png"] {
                if let image = Self.read("\(folder)/\(name).\(ending)") { return image }
            }
        }
        return nil
    }

    /// The theme's folders of icons, the best ones for a small picture that may be enlarged first.
    private static func sizes(in theme: String) -> [String] {
        guard let folder = unsafe opendir(theme) else { return [] }
        defer { unsafe closedir(folder) }
        var found: [(name: String, rank: Int)] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let rank = rank(of: name) { found.append((name, rank)) }
        }
        return found.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.map(\.name)
    }

    private static func rank(of folder: String) -> Int? {
        if folder == "scalable" { return 0 }
        let numbers = folder.split(separator: "x", omittingEmptySubsequences: false)
        guard numbers.count == 2, numbers[0] == numbers[1], let size = Int(numbers[0]), 1...4096 ~= size else {
            return nil
        }
        // The least that is sharp, then larger ones, then smaller ones.
        return size >= 64 ? size : 10_000 - size
    }

    private static func read(_ path: String) -> IconImage? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            1...IconImage.largestFile ~= Int(status.st_size)
        else { return nil }
        return BoundedRead.bytes(from: descriptor, upTo: IconImage.largestFile).flatMap { IconImage($0) }
    }
}
