// SPDX-License-Identifier: MIT

/// What an app has given of its own state, in a ``RoutingPreset``: a patch, a song, the place of its knobs.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingState: Sendable, Hashable {
    /// The app's id.
    public let app: String
    /// The kind of the state, by which its app knows it, such as "org.example.synth.patch".
    public let type: String
    /// The version of that kind. An app may read older ones, and refuses newer ones.
    public let version: UInt32
    /// 0…20 000 000 bytes.
    public let bytes: [UInt8]

    /// The largest state of one app, in bytes.
    public static let largestSize = 20_000_000
    /// The longest ``type`` and ``app``, in bytes.
    static let longestName = 255

    /// - Throws: ``RoutingError`` with an empty place, for a name or a size out of range.
    public init(app: String, type: String, version: UInt32, bytes: [UInt8]) throws(RoutingError) {
        for (name, what) in [(app, "app"), (type, "type of a state")] {
            guard 1...Self.longestName ~= name.utf8.count, name.unicodeScalars.allSatisfy(\.isPrintable) else {
                throw RoutingError(
                    at: "", "the name of the \(what) must have 1 to \(Self.longestName) bytes that can be printed")
            }
        }
        guard bytes.count <= Self.largestSize else {
            throw RoutingError(
                at: "", "the state has \(bytes.count) bytes; at most \(Self.largestSize) (20 MB) are allowed")
        }
        (self.app, self.type, self.version, self.bytes) = (app, type, version, bytes)
    }
}
