// SPDX-License-Identifier: MIT

/// The desktop's portals, which sandboxed apps may call.
///
/// Their interfaces are those of xdg-desktop-portal (https://flatpak.github.io/xdg-desktop-portal/docs/api-reference.html).
enum Portal {
    static let name = "org.freedesktop.portal.Desktop"
    static let path = "/org/freedesktop/portal/desktop"
    static let inhibit = "org.freedesktop.portal.Inhibit"
    static let background = "org.freedesktop.portal.Background"
    static let request = "org.freedesktop.portal.Request"
}
