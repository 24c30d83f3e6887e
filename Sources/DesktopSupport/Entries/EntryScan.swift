// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc

/// Finds the desktop entries of apps in their folders, as the Desktop Entry Specification names them.
///
/// GIO's own search follows links from folder to folder without end, and waits for ever at a pipe. It begins with any call about a `GDesktopAppInfo`.
package enum EntryScan {
    /// The most names in the folders of one place, and the deepest folder, that are looked at.
    private static let mostNames = 20_000
    private static let deepest = 8
    private static let suffix = ".desktop"

    /// The paths of the entries, by their ids. Of two entries with one id that in the first folder counts, whatever it is.
    ///
    /// - Parameter isID: which ids count; those that are ids of apps unless given.
    package static func paths(
        in folders: [String], where isID: @escaping (String) -> Bool = { AppID.isValid($0) }
    ) -> [String: String] {
        var paths: [String: String] = [:]
        for folder in folders {
            var walk = Walk(isID: isID)
            walk.read(folder, prefix: "", depth: 0)
            paths.merge(walk.paths) { first, _ in first }
        }
        return paths
    }

    /// A link by which GIO's search would come to the same folder without end; `nil` if it ends.
    ///
    /// One such link alone is followed 40 times, as deep as the system allows. With a second way to a folder there are as many ways as 2 to the power of 40.
    package static func endlessLink(in folders: [String]) -> String? {
        folders.lazy.compactMap { folder -> String? in
            var walk = Walk { _ in false }
            walk.read(folder, prefix: "", depth: 0)
            return walk.visitsAgain > 1 ? walk.loop : nil
        }.first
    }

    /// A way through a place and the folders in it.
    private struct Walk {
        private struct Folder: Hashable {
            var device: UInt
            var number: UInt
        }

        let isID: (String) -> Bool
        private(set) var paths: [String: String] = [:]
        /// The first link that leads back to a folder on its way.
        private(set) var loop: String?
        /// How often a folder was come to again.
        private(set) var visitsAgain = 0
        private var seen: Set<Folder> = []
        private var way: [Folder] = []
        private var left = EntryScan.mostNames

        init(isID: @escaping (String) -> Bool) { self.isID = isID }

        /// - Parameter prefix: the folders on the way, each with a dash: they are parts of an id.
        mutating func read(_ path: String, prefix: String, depth: Int) {
            var status = stat()
            guard depth <= EntryScan.deepest, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                return
            }
            // Each folder once, so that links to folders form no loop.
            let folder = Folder(device: UInt(status.st_dev), number: UInt(status.st_ino))
            guard seen.insert(folder).inserted else {
                visitsAgain += 1
                if loop == nil, way.contains(folder) { loop = path }
                return
            }
            way.append(folder)
            defer { way.removeLast() }
            var folders: [String] = []
            for name in names(in: path) {
                if name.hasSuffix(EntryScan.suffix) {
                    let id = prefix + name.dropLast(EntryScan.suffix.count)
                    if paths[id] == nil, isID(id) { paths[id] = "\(path)/\(name)" }
                } else {
                    folders.append(name)
                }
            }
            for name in folders { read("\(path)/\(name)", prefix: "\(prefix)\(name)-", depth: depth + 1) }
        }

        /// The names in a folder, sorted.
        private mutating func names(in path: String) -> [String] {
            guard let folder = unsafe opendir(path) else { return [] }
            defer { unsafe closedir(folder) }
            var names: [String] = []
            while left > 0, let entry = unsafe readdir(folder) {
                left -= 1
                let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if let name, !name.hasPrefix(".") { names.append(name) }
            }
            return names.sorted()
        }
    }
}
