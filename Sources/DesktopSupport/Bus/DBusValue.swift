// SPDX-License-Identifier: MIT
import CGIO

/// A value of a D-Bus message. Only the types that PipeBus's messages have.
package indirect enum DBusValue: Sendable, Hashable {
    case string(String)
    case objectPath(String)
    case boolean(Bool)
    case uint32(UInt32)
    /// The place of a descriptor in the message's list.
    case handle(Int32)
    case variant(DBusValue)
    /// An array of values of one type, which is a signature such as "v".
    case array(of: String, [DBusValue])
    /// A dictionary from strings to variants, `a{sv}`.
    case dictionary([String: DBusValue])
    case double(Double)
    case int32(Int32)
    /// A signed integer of 64 bits; read also from those of 16 bits, and from unsigned ones of 64.
    case int64(Int64)
    /// A struct.
    case tuple([DBusValue])
    /// A value of another type, which is not looked into.
    case other(type: String)

    /// The variants in a dictionary of a message, and arrays in it, are read to this depth.
    private static let greatestDepth = 8
    /// A dictionary with more entries is a value of another type.
    static let mostEntries = 4096

    /// A new GVariant, which floats.
    package func makeVariant() -> OpaquePointer {
        switch self {
        case .string(let text): unsafe g_variant_new_string(text)
        case .objectPath(let path): unsafe g_variant_new_object_path(path)
        case .boolean(let value): unsafe g_variant_new_boolean(value ? 1 : 0)
        case .uint32(let value): unsafe g_variant_new_uint32(value)
        case .handle(let value): unsafe g_variant_new_handle(value)
        case .variant(let value): unsafe g_variant_new_variant(value.makeVariant())
        case .double(let value): unsafe g_variant_new_double(value)
        case .int32(let value): unsafe g_variant_new_int32(value)
        case .int64(let value): unsafe g_variant_new_int64(gint64(value))
        case .tuple(let values): unsafe Self.makeTuple(values)
        case .array(let type, let values):
            unsafe Self.withVariants(values) { unsafe Self.makeArray(of: type, $0, values.count) }
        case .dictionary(let values):
            unsafe Self.withDictionary(values)
        case .other: unsafe g_variant_new_string("")
        }
    }

    /// A tuple of values, such as a message has, which floats.
    package static func makeTuple(_ values: [DBusValue]) -> OpaquePointer {
        unsafe withVariants(values) { unsafe g_variant_new_tuple($0, gsize(values.count)) }
    }

    private static func makeArray(
        of signature: String, _ values: UnsafePointer<OpaquePointer?>?, _ count: Int
    ) -> OpaquePointer {
        let type = unsafe g_variant_type_new(signature)
        defer { unsafe g_variant_type_free(type) }
        return unsafe g_variant_new_array(type, values, gsize(count))
    }

    private static func withVariants(
        _ values: [DBusValue], _ body: (UnsafePointer<OpaquePointer?>?) -> OpaquePointer
    ) -> OpaquePointer {
        let variants: [OpaquePointer?] = unsafe values.map { unsafe $0.makeVariant() }
        return unsafe variants.withUnsafeBufferPointer { unsafe body($0.isEmpty ? nil : $0.baseAddress) }
    }

    private static func withDictionary(_ values: [String: DBusValue]) -> OpaquePointer {
        let entries: [OpaquePointer?] = unsafe values.sorted { $0.key < $1.key }.map { key, value in
            unsafe g_variant_new_dict_entry(
                g_variant_new_string(key), g_variant_new_variant(value.makeVariant()))
        }
        return unsafe entries.withUnsafeBufferPointer {
            unsafe makeArray(of: "{sv}", $0.isEmpty ? nil : $0.baseAddress, entries.count)
        }
    }

    /// The values of a message.
    package static func values(ofTuple tuple: OpaquePointer?) -> [DBusValue] {
        guard let tuple = unsafe tuple, unsafe g_variant_is_container(tuple) != 0 else { return [] }
        return unsafe (0..<g_variant_n_children(tuple)).map { place in
            let child = unsafe g_variant_get_child_value(tuple, place)!
            defer { unsafe g_variant_unref(child) }
            return unsafe DBusValue(child)
        }
    }

    package init(_ variant: OpaquePointer, depth: Int = 0) {
        let type = unsafe String(cString: g_variant_get_type_string(variant))
        func children(_ variant: OpaquePointer) -> [DBusValue] {
            unsafe (0..<min(g_variant_n_children(variant), 4096)).map { place in
                let child = unsafe g_variant_get_child_value(variant, place)!
                defer { unsafe g_variant_unref(child) }
                return unsafe DBusValue(child, depth: depth + 1)
            }
        }
        switch type {
        case "s": self = .string(unsafe String(cString: g_variant_get_string(variant, nil)))
        case "o": self = .objectPath(unsafe String(cString: g_variant_get_string(variant, nil)))
        case "b": self = .boolean(unsafe g_variant_get_boolean(variant) != 0)
        case "u": self = .uint32(unsafe g_variant_get_uint32(variant))
        case "h": self = .handle(unsafe g_variant_get_handle(variant))
        case "d": self = .double(unsafe g_variant_get_double(variant))
        case "x": self = .int64(Int64(unsafe g_variant_get_int64(variant)))
        case "i": self = .int32(unsafe g_variant_get_int32(variant))
        case "n": self = .int64(Int64(unsafe g_variant_get_int16(variant)))
        case "q": self = .int64(Int64(unsafe g_variant_get_uint16(variant)))
        case "t":
            let number = unsafe g_variant_get_uint64(variant)
            self = Int64(exactly: number).map { .int64($0) } ?? .other(type: type)
        case "v" where depth < Self.greatestDepth:
            let inner = unsafe g_variant_get_variant(variant)!
            defer { unsafe g_variant_unref(inner) }
            self = .variant(unsafe DBusValue(inner, depth: depth + 1))
        // Of a longer one not all would be read, and nobody would know what is left out.
        case "a{sv}" where unsafe depth < Self.greatestDepth && g_variant_n_children(variant) <= Self.mostEntries:
            self = .dictionary(unsafe Self.dictionary(variant, depth: depth))
        case "av" where depth < Self.greatestDepth: self = .array(of: "v", unsafe children(variant))
        case "as" where depth < Self.greatestDepth: self = .array(of: "s", unsafe children(variant))
        case _ where type.hasPrefix("a(") && depth < Self.greatestDepth:
            self = .array(of: String(type.dropFirst()), unsafe children(variant))
        case _ where type.hasPrefix("(") && depth < Self.greatestDepth: self = .tuple(unsafe children(variant))
        default: self = .other(type: type)
        }
    }

    private static func dictionary(_ variant: OpaquePointer, depth: Int) -> [String: DBusValue] {
        var values: [String: DBusValue] = [:]
        for place in unsafe 0..<g_variant_n_children(variant) {
            let entry = unsafe g_variant_get_child_value(variant, place)!
            defer { unsafe g_variant_unref(entry) }
            let (key, value) = unsafe (g_variant_get_child_value(entry, 0)!, g_variant_get_child_value(entry, 1)!)
            defer {
                unsafe g_variant_unref(key)
                unsafe g_variant_unref(value)
            }
            let name = unsafe String(cString: g_variant_get_string(key, nil))
            if case .variant(let inner) = unsafe DBusValue(value, depth: depth + 1) { values[name] = inner }
        }
        return values
    }

    /// The text of a string, also within variants.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .variant(let value): value.text
        default: nil
        }
    }
}
