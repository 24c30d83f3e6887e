// SPDX-License-Identifier: MIT
import Glibc

/// The values of a metadata object of this client, with a limit for their total size. Pure.
package struct MetadataStore {
    package struct Entry: Equatable, Sendable {
        package var type: String
        package var value: String

        package init(type: String, value: String) {
            self.type = type
            self.value = value
        }
    }

    package private(set) var entries: [String: Entry] = [:]
    /// The size of keys, types and values, in bytes.
    package private(set) var size = 0

    package init() {}

    /// Throws when a string may not be sent, or when there is no room for it.
    package func check(_ key: String, _ entry: Entry) throws(PipeWireError) {
        try MetadataLimits.check(
            key: key, type: entry.type, value: entry.value, longestValue: MetadataLimits.longestValue)
        let isNew = entries[key] == nil
        guard sizeAfterSetting(key, entry) <= MetadataLimits.largestObject,
            !isNew || entries.count < MetadataLimits.mostKeys
        else { throw .callFailed(call: "pw_metadata_set_property", code: ENOSPC) }
    }

    /// Stores a checked entry.
    package mutating func set(_ key: String, _ entry: Entry) {
        size = sizeAfterSetting(key, entry)
        entries[key] = entry
    }

    package mutating func remove(_ key: String) {
        size -= entries.removeValue(forKey: key).map { Self.size(key, $0) } ?? 0
    }

    private func sizeAfterSetting(_ key: String, _ entry: Entry) -> Int {
        size + Self.size(key, entry) - (entries[key].map { Self.size(key, $0) } ?? 0)
    }

    private static func size(_ key: String, _ entry: Entry) -> Int {
        key.utf8.count + entry.type.utf8.count + entry.value.utf8.count
    }
}
