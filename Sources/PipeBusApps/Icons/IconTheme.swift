import CGIO
// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// The icons that are installed here, in the theme of the user and in those that it inherits from.
///
/// ```swift
/// let theme = IconTheme.user
/// let image = theme.image(named: "audio-card", size: 48)
/// ```
///
/// Icon Theme Specification of freedesktop.org, with PNG and SVG. The theme's lists are read once, and its icons when they are asked for.
///
/// - Thread: any but the audio thread. A value.
/// - Realtime: unsafe.
public struct IconTheme: Sendable {
    /// The name of the theme's folder, such as "Adwaita".
    public let name: String
    /// The folders in which themes are looked for, the first that counts first. Icons of no theme are in these folders themselves.
    public let folders: [String]
    /// The theme, those that it inherits from, and "hicolor", into which every app installs its own icons.
    private let chain: [IconThemeIndex]

    /// The theme that the user has chosen, or the desktop's.
    public static var user: IconTheme { IconTheme(name: UserIconTheme.name) }

    /// A theme by its name. One that is not installed has the icons of "hicolor".
    ///
    /// - Parameter folders: those of the specification unless given.
    public init(name: String, folders: [String]? = nil) {
        self.name = name
        let folders = folders ?? Self.standardFolders
        self.folders = folders
        chain = IconThemeIndex.chain(from: name, in: folders)
    }

    /// The picture of an icon.
    ///
    /// - Parameters:
    ///   - name: a name, such as "audio-card". A path is none.
    ///   - size: the width and height at which the picture is shown, in points. A picture of the nearest size is taken.
    ///   - scale: pixels of the screen in a point.
    /// - Returns: `nil` if it is not installed, or is no picture.
    public func image(named name: String, size: Int = 48, scale: Int = 1) -> IconImage? {
        guard Self.isName(name) else { return nil }
        for theme in chain {
            for folder in theme.folders(for: size, scale: scale) {
                if let image = Self.image(at: "\(folder)/\(name)") { return image }
            }
        }
        return folders.lazy.compactMap { Self.image(at: "\($0)/\(name)") }.first
    }

    /// The picture of a file without its ending.
    private static func image(at path: String) -> IconImage? {
        ["png", "svg"].lazy.compactMap { IconImage(path: "\(path).\($0)") }.first
    }

    /// The longest name, in bytes.
    private static let longestName = 128

    /// Whether a text can be the name of a theme or an icon: a name is no path, and finds nothing hidden.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && !name.hasPrefix(".")
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// The folders of the specification, and those that desktops have besides.
    private static var standardFolders: [String] {
        let home = unsafe String(cString: g_get_home_dir())
        let own = unsafe String(cString: g_get_user_data_dir())
        let shared = EntryFolders.shared
        return
            (["\(home)/.icons", "\(own)/icons"] + shared.map { "\($0)/icons" } + shared.map { "\($0)/pixmaps" }
            + ["/usr/share/pixmaps"]).filter { $0.hasPrefix("/") }
    }
}

extension InstalledApp {
    /// The picture of the app's icon: that of its desktop entry.
    ///
    /// - Parameters:
    ///   - size: the width and height at which the picture is shown, in points.
    ///   - scale: pixels of the screen in a point.
    /// - Returns: `nil` if the entry names none, or it is not installed, or is no picture.
    public func icon(in theme: IconTheme, size: Int = 48, scale: Int = 1) -> IconImage? {
        guard let iconName else { return nil }
        // An entry may have a path, which an app in the graph may not.
        if iconName.hasPrefix("/") { return IconImage(path: iconName) }
        return theme.image(named: iconName, size: size, scale: scale)
    }
}
