// SPDX-License-Identifier: MIT

/// The form and the limits of published data: what one client publishes for all others to read. Docs/Protocols.md describes it.
enum PublishedData {
    /// The prefix of the names of the metadata objects. The app, a number and the key follow.
    static let namePrefix = "pipebus-data."
    /// The key of the object under which the bytes are, as Base64.
    static let valueKey = "value"
    static let valueType = "Spa:String:Base64"
    /// The longest value, in bytes.
    static let longestValue = 4 << 20
    /// The largest sum of one client's values, in bytes.
    static let largestSum = 64 << 20
    /// The largest number of keys of one client.
    static let mostKeys = 256

    static func check(key: String) throws { try Names.check(text: key, what: "The key of published data") }

    /// Whether a key that another client chose is in order.
    static func isValid(key: String) -> Bool { (try? check(key: key)) != nil }
}
