// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// PipeWire's properties as a dictionary. They come from other processes: bad UTF-8 is repaired by `String(cString:)`,
/// and an oversized value is cut, and an oversized key left out, so that a peer cannot make this process hold megabytes.
enum Properties {
    static let longestKey = 256
    static let longestValue = 4096
    /// The largest number of properties of one object. PipeWire's own objects have fewer than a hundred.
    static let mostKeys = 1024

    static func dictionary(from dict: OpaquePointer?) -> [String: String] {
        let count = unsafe pbpw_dict_count(dict)
        var properties: [String: String] = [:]
        for index in 0..<count where properties.count < mostKeys {
            guard let key = unsafe pbpw_dict_key(dict, index), let value = unsafe pbpw_dict_value(dict, index),
                unsafe strnlen(key, longestKey + 1) <= longestKey
            else { continue }
            unsafe properties[String(cString: key)] = bounded(value)
        }
        return properties
    }

    private static func bounded(_ value: UnsafePointer<CChar>) -> String {
        let length = unsafe strnlen(value, longestValue)
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: length)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// Keeps the given order, which PipeWire shows to people.
    static func make(_ properties: [(String, String)]) -> OpaquePointer {
        let made = unsafe pbpw_properties_new()!
        for (key, value) in properties { unsafe pbpw_properties_set(made, key, value) }
        return unsafe made
    }
}
