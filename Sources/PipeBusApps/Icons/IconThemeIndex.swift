// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// What the file `index.theme` of a theme says, and which of its folders are there.
struct IconThemeIndex: Sendable {
    /// A folder of icons, with the sizes that it has.
    private struct Folder: Sendable {
        /// In each folder of themes that has it, the first that counts first.
        var paths: [String]
        var sizes: IconSizes

        /// - Returns: `nil` if there is no such folder.
        init?(_ name: String, in places: [String], _ sizes: IconSizes) {
            paths = places.map { "\($0)/\(name)" }.filter { IconThemeIndex.isThere($0) }
            self.sizes = sizes
            guard !paths.isEmpty else { return nil }
        }
    }

    private let folders: [Folder]
    /// The names of the themes that it inherits from.
    let parents: [String]

    /// More bytes than an index has.
    private static let longestFile = 1 << 20
    /// The most folders of a theme that are looked at.
    private static let mostFolders = 2000
    /// The most themes that inherit from each other.
    private static let mostThemes = 16

    /// The theme of every app's own icons.
    static let common = "hicolor"

    /// A theme, those that it inherits from, depth first, and "hicolor". Each is there once, so that loops end.
    static func chain(from name: String, in baseFolders: [String]) -> [IconThemeIndex] {
        var seen: Set<String> = [common]
        var chain: [IconThemeIndex] = []
        var waiting = [name]
        while let next = waiting.popLast(), chain.count < mostThemes {
            guard IconTheme.isName(next), seen.insert(next).inserted,
                let index = IconThemeIndex(name: next, in: baseFolders)
            else { continue }
            chain.append(index)
            waiting += index.parents.prefix(mostThemes).reversed()
        }
        // Also where its index is not installed: apps put their icons there all the same.
        return chain + [IconThemeIndex(name: common, in: baseFolders) ?? IconThemeIndex(commonIn: baseFolders)]
    }

    /// - Returns: `nil` if there is no such theme.
    private init?(name: String, in baseFolders: [String]) {
        let places = baseFolders.map { "\($0)/\(name)" }
        let files = places.lazy.compactMap { try? BoundedFile.bytes(at: "\($0)/index.theme", upTo: Self.longestFile) }
        guard let bytes = files.first, let keys = try? KeyFile(bytes: bytes) else { return nil }
        let group = "Icon Theme"
        func list(_ key: String) -> [String] {
            (keys.string(key, in: group) ?? "").split(separator: ",").map {
                String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
        parents = list("Inherits")
        var seen: Set<String> = []
        let names = (list("Directories") + list("ScaledDirectories")).filter {
            Self.isFolder($0) && seen.insert($0).inserted
        }
        folders = names.prefix(Self.mostFolders).compactMap { name in
            IconSizes(keys, of: name).flatMap { Folder(name, in: places, $0) }
        }
    }

    /// The folders that "hicolor" usually has.
    private init(commonIn baseFolders: [String]) {
        let places = baseFolders.map { "\($0)/\(Self.common)" }.filter { Self.isThere($0) }
        parents = []
        let sizes = [16, 22, 24, 32, 36, 48, 64, 72, 96, 128, 192, 256, 512].map {
            ("\($0)x\($0)", IconSizes(fixed: $0))
        }
        folders = (sizes + [("scalable", .scalable)]).flatMap { folder, sizes in
            ["apps", "devices", "categories", "mimetypes", "status", "actions", "places"].compactMap {
                Folder("\(folder)/\($0)", in: places, sizes)
            }
        }
    }

    /// Whether a text is the path of a folder within the theme.
    private static func isFolder(_ path: String) -> Bool {
        path.utf8.count <= 256
            && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { IconTheme.isName(String($0)) }
    }

    private static func isThere(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// The paths of the folders for a size: those that have it, and then the others, the nearest first.
    func folders(for size: Int, scale: Int) -> [String] {
        let exact = folders.filter { $0.sizes.match(size, scale: scale) }
        let others = folders.enumerated().filter { !$0.element.sizes.match(size, scale: scale) }
            .map { (distance: $0.element.sizes.distance(from: size, scale: scale), place: $0.offset) }
            .sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }
        return (exact + others.map { folders[$0.place] }).flatMap(\.paths)
    }
}
