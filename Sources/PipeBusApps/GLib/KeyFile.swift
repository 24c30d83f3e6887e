// SPDX-License-Identifier: MIT
import CGIO

/// A desktop entry in memory: groups of keys, with the comments and translations of its text.
///
/// - Thread: any, one at a time.
@safe final class KeyFile {
    private var file: OpaquePointer

    init() { unsafe file = g_key_file_new() }

    /// Reads the bytes of a file, which are a text in UTF-8 without NUL: GLib drops what comes after one in a line.
    ///
    /// - Throws: ``NoText``; ``GLibError`` if the text is no key file.
    convenience init(bytes: [UInt8]) throws {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw NoText() }
        try self.init(text: text)
    }

    struct NoText: Error {}

    /// - Throws: ``GLibError`` if the text is no key file.
    convenience init(text: String) throws {
        self.init()
        try load(text)
    }

    private func load(_ text: String) throws {
        var error: UnsafeMutablePointer<GError>?
        let flags = GKeyFileFlags(rawValue: G_KEY_FILE_KEEP_COMMENTS.rawValue | G_KEY_FILE_KEEP_TRANSLATIONS.rawValue)
        guard unsafe g_key_file_load_from_data(file, text, gsize(text.utf8.count), flags, &error) != 0 else {
            throw unsafe GLibError(taking: error)
        }
    }

    deinit { unsafe g_key_file_unref(file) }

    /// The whole text.
    var text: String {
        guard let text = unsafe g_key_file_to_data(file, nil, nil) else { return "" }
        defer { unsafe g_free(text) }
        return unsafe String(cString: text)
    }

    func string(_ key: String, in group: String) -> String? {
        guard let value = unsafe g_key_file_get_string(file, group, key, nil) else { return nil }
        defer { unsafe g_free(value) }
        return unsafe String(cString: value)
    }

    /// The string in the language of the user, if it is there in that.
    func translatedString(_ key: String, in group: String) -> String? {
        guard let value = unsafe g_key_file_get_locale_string(file, group, key, nil, nil) else { return nil }
        defer { unsafe g_free(value) }
        return unsafe String(cString: value)
    }

    /// Whether the value is "true".
    func isTrue(_ key: String, in group: String) -> Bool { unsafe g_key_file_get_boolean(file, group, key, nil) != 0 }

    /// The items of a list; empty without the key.
    func list(_ key: String, in group: String) -> [String] {
        var count: gsize = 0
        guard let values = unsafe g_key_file_get_string_list(file, group, key, &count, nil) else { return [] }
        defer { unsafe g_strfreev(values) }
        return (0..<Int(count)).compactMap { unsafe values[$0].map { unsafe String(cString: $0) } }
    }

    func has(_ key: String, in group: String) -> Bool { unsafe g_key_file_has_key(file, group, key, nil) != 0 }

    func set(_ key: String, to value: String, in group: String) {
        unsafe g_key_file_set_string(file, group, key, value)
    }

    func set(_ key: String, to values: [String], in group: String) {
        unsafe withCStrings(values) { pointers in
            unsafe g_key_file_set_string_list(file, group, key, pointers, gsize(values.count))
        }
    }

    /// Removes a key, however often it is there. GLib removes one of them, and the next program finds the others.
    func remove(_ key: String, in group: String) {
        var isInGroup = false
        // By bytes: "\r\n" is one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).filter { line in
            if line.first == UInt8(ascii: "[") { isInGroup = line.elementsEqual("[\(group)]".utf8) }
            return !isInGroup || !line.starts(with: "\(key)=".utf8)
        }
        let old = unsafe file
        unsafe file = g_key_file_new()
        do {
            try load(String(decoding: Array(lines.joined(separator: "\n".utf8)), as: UTF8.self))
            unsafe g_key_file_unref(old)
        } catch {
            unsafe g_key_file_unref(file)
            unsafe file = old
            unsafe g_key_file_remove_key(file, group, key, nil)
        }
    }

    private func withCStrings(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void
    ) {
        let copies = unsafe strings.map { unsafe g_strdup($0) }
        defer { unsafe copies.forEach { unsafe g_free($0) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer<CChar>($0) } + [nil]
        unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}
