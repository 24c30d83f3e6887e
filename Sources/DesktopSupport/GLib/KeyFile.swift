// SPDX-License-Identifier: MIT
import CGIO

/// A desktop entry in memory: groups of keys.
///
/// GLib reads and writes the values. The text is changed line by line, so that all else in it stays as somebody has written it.
///
/// - Thread: any, one at a time.
@safe package final class KeyFile {
    private var file: OpaquePointer
    /// The whole text.
    package private(set) var text = ""

    package init() { unsafe file = g_key_file_new() }

    /// Reads the bytes of a file, which are a text in UTF-8 without NUL: GLib drops what comes after one in a line.
    ///
    /// - Throws: ``NoText``; ``GLibError`` if the text is no key file.
    package convenience init(bytes: [UInt8]) throws {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw NoText() }
        try self.init(text: text)
    }

    package struct NoText: Error {}

    /// - Throws: ``GLibError`` if the text is no key file.
    package convenience init(text: String) throws {
        self.init()
        try load(text)
    }

    private func load(_ text: String) throws {
        let new = unsafe g_key_file_new()!
        var error: UnsafeMutablePointer<GError>?
        guard
            unsafe g_key_file_load_from_data(new, text, gsize(text.utf8.count), G_KEY_FILE_KEEP_TRANSLATIONS, &error)
                != 0
        else {
            unsafe g_key_file_unref(new)
            throw unsafe GLibError(taking: error)
        }
        unsafe g_key_file_unref(file)
        unsafe file = new
        self.text = text
    }

    deinit { unsafe g_key_file_unref(file) }

    /// What GIO makes of the entry, to be freed by the caller; `nil` if its program is not there.
    func makeAppInfo() -> OpaquePointer? { unsafe g_desktop_app_info_new_from_keyfile(file) }

    package func string(_ key: String, in group: String) -> String? {
        guard let value = unsafe g_key_file_get_string(file, group, key, nil) else { return nil }
        defer { unsafe g_free(value) }
        return unsafe String(cString: value)
    }

    /// The string in the language of the user, if it is there in that.
    package func translatedString(_ key: String, in group: String) -> String? {
        guard let value = unsafe g_key_file_get_locale_string(file, group, key, nil, nil) else { return nil }
        defer { unsafe g_free(value) }
        return unsafe String(cString: value)
    }

    /// Whether the value is "true".
    package func isTrue(_ key: String, in group: String) -> Bool {
        unsafe g_key_file_get_boolean(file, group, key, nil) != 0
    }

    /// The items of a list; empty without the key.
    package func list(_ key: String, in group: String) -> [String] {
        var count: gsize = 0
        guard let values = unsafe g_key_file_get_string_list(file, group, key, &count, nil) else { return [] }
        defer { unsafe g_strfreev(values) }
        return (0..<Int(count)).compactMap { unsafe values[$0].map { unsafe String(cString: $0) } }
    }

    package func has(_ key: String, in group: String) -> Bool { unsafe g_key_file_has_key(file, group, key, nil) != 0 }

    // MARK: Changes

    package func set(_ key: String, to value: String, in group: String) {
        unsafe change(key, in: group, isSame: string(key, in: group) == value) {
            unsafe g_key_file_set_string($0, group, key, value)
        }
    }

    package func set(_ key: String, to values: [String], in group: String) {
        unsafe change(key, in: group, isSame: list(key, in: group) == values) { file in
            unsafe withCStrings(values) { pointers in
                unsafe g_key_file_set_string_list(file, group, key, pointers, gsize(values.count))
            }
        }
    }

    /// Removes a key, however often it is there. GLib removes one of them, and the next program finds the others.
    package func remove(_ key: String, in group: String) {
        var lines = KeyFileLines(text)
        lines.remove(key, in: group)
        replaceText(lines.text)
    }

    private func change(_ key: String, in group: String, isSame: Bool, _ put: (OpaquePointer) -> Void) {
        var lines = KeyFileLines(text)
        guard !isSame || lines.count(of: key, in: group) != 1 else { return }
        let line = unsafe g_key_file_new()!
        defer { unsafe g_key_file_unref(line) }
        unsafe put(line)
        guard let written = unsafe g_key_file_to_data(line, nil, nil) else { return }
        defer { unsafe g_free(written) }
        // The group is the first line, and the key the second.
        let new = unsafe String(cString: written).utf8.split(separator: UInt8(ascii: "\n"))
        lines.set(key, in: group, to: Array(new[1]))
        replaceText(lines.text)
    }

    /// A text that GLib reads stays one that it reads: lines of keys come and go.
    private func replaceText(_ text: String) { try? load(text) }

    private func withCStrings(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void
    ) {
        let copies = unsafe strings.map { unsafe g_strdup($0) }
        defer { unsafe copies.forEach { unsafe g_free($0) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer<CChar>($0) } + [nil]
        unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}
