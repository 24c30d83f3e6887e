// SPDX-License-Identifier: MIT

/// A value of a JSON text, with its place.
struct JSONNode {
    indirect enum Value {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case list([JSONNode])
        /// In the order of the text; no key is there twice.
        case object([(key: String, value: JSONNode)])
    }

    let value: Value
    /// From 1.
    let line: Int

    /// The word for what it is.
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
