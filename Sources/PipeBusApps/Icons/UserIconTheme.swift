import CGIO
// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// Which icon theme the user has. There is no one place for that, so the desktops' places are looked at in turn.
enum UserIconTheme {
    private static let longestFile = 1 << 20

    /// The name of the theme; "hicolor" if nothing says another one.
    static var name: String {
        let desktops = unsafe getenv("XDG_CURRENT_DESKTOP").map { unsafe String(cString: $0) } ?? ""
        return name(
            setting: DesktopSetting(key: "icon-theme", schema: "org.gnome.desktop.interface"),
            configuration: unsafe String(cString: g_get_user_config_dir()),
            isKDE: desktops.split(separator: ":").contains("KDE"))
    }

    /// - Parameters:
    ///   - setting: that of GSettings.
    ///   - configuration: the folder of the user's configuration.
    ///   - isKDE: whether Plasma is the desktop.
    static func name(setting: DesktopSetting?, configuration: String, isKDE: Bool) -> String {
        let plasma = value("Theme", in: "Icons", of: "\(configuration)/kdeglobals")
        // What was chosen comes before what is there by default.
        let names = [
            isKDE ? plasma ?? "breeze" : nil, setting.flatMap { $0.isChosen ? $0.value : nil },
            value("gtk-icon-theme-name", in: "Settings", of: "\(configuration)/gtk-3.0/settings.ini"),
            setting?.value, plasma,
        ]
        return names.lazy.compactMap(\.self).first { IconTheme.isName($0) } ?? IconThemeIndex.common
    }

    /// The value of a key in a file of groups. GKeyFile refuses those of KDE, whose keys have marks such as `[$e]`.
    private static func value(_ key: String, in group: String, of path: String) -> String? {
        guard let text = BoundedFile.text(at: path, upTo: longestFile) else { return nil }
        var isInGroup = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                isInGroup = line == "[\(group)]"
            } else if isInGroup, line.hasPrefix(key) {
                let rest = line.dropFirst(key.count).drop { $0 == " " }
                guard rest.hasPrefix("=") else { continue }
                let value = String(rest.dropFirst().drop { $0 == " " })
                return value.isEmpty ? nil : value
            }
        }
        return nil
    }
}
