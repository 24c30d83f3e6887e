// SPDX-License-Identifier: MIT
import Glibc

/// The names in a folder.
package enum FolderListing {
    /// The names without "." and "..", in no order; those in another encoding than UTF-8 are left out. Empty for what is no folder.
    ///
    /// - Parameter limit: the most names that are looked at.
    package static func names(in path: String, atMost limit: Int = 100_000) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        var left = limit
        while left > 0, let entry = unsafe readdir(folder) {
            left -= 1
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
