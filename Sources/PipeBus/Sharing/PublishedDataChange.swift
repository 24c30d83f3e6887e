// SPDX-License-Identifier: MIT

/// A change of what an app publishes; see ``BusClient/publishedDataUpdates(of:)``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct PublishedDataChange: Sendable, Hashable {
    /// What has happened to a key.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The key is new, or was there when the reader began.
        case added
        /// The key has another value.
        case replaced
        /// The key is gone.
        case removed
    }

    /// The key.
    public let key: String
    /// What has happened to it.
    public let kind: Kind
    /// The value; `nil` for a key that was removed, and where more than 64 MiB wait for a slow reader. Then
    /// ``BusClient/publishedData(forKey:of:timeout:)`` reads it.
    public let bytes: [UInt8]?

    init(key: String, kind: Kind, bytes: [UInt8]?) {
        self.key = key
        self.kind = kind
        self.bytes = bytes
    }
}
