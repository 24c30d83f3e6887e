// SPDX-License-Identifier: MIT
import CGIO

/// A text among the settings of a desktop (GSettings).
struct DesktopSetting {
    var value: String
    /// Whether the user, or an administrator, has chosen it.
    var isChosen: Bool

    init(value: String, isChosen: Bool) {
        self.value = value
        self.isChosen = isChosen
    }

    /// Reads the setting.
    ///
    /// - Returns: `nil` if there is no such setting. GSettings ends the program for a missing schema or key, so all is looked up first.
    init?(key: String, schema: String) {
        guard let source = unsafe g_settings_schema_source_get_default(),
            let found = unsafe g_settings_schema_source_lookup(source, schema, 1)
        else { return nil }
        defer { unsafe g_settings_schema_unref(found) }
        guard unsafe g_settings_schema_get_path(found) != nil, unsafe g_settings_schema_has_key(found, key) != 0 else {
            return nil
        }
        let type = unsafe g_settings_schema_get_key(found, key)
        defer { unsafe g_settings_schema_key_unref(type) }
        let text = unsafe g_variant_type_new("s")
        defer { unsafe g_variant_type_free(text) }
        guard
            unsafe g_variant_type_equal(
                UnsafeRawPointer(g_settings_schema_key_get_value_type(type)), UnsafeRawPointer(text)) != 0,
            let settings = unsafe g_settings_new_full(found, nil, nil)
        else { return nil }
        defer { unsafe g_object_unref(settings) }
        guard let string = unsafe g_settings_get_string(settings, key) else { return nil }
        defer { unsafe g_free(string) }
        let chosen = unsafe g_settings_get_user_value(settings, key)
        if let chosen = unsafe chosen { unsafe g_variant_unref(chosen) }
        self.init(value: unsafe String(cString: string), isChosen: unsafe chosen != nil)
    }
}
