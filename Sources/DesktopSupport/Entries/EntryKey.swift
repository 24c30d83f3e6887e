// SPDX-License-Identifier: MIT

/// The keys of a desktop entry that PipeBus reads and writes. Each product has more of its own.
package enum EntryKey {
    package static let group = "Desktop Entry"
    package static let type = "Type"
    package static let name = "Name"
    package static let icon = "Icon"
    package static let exec = "Exec"
    package static let tryExec = "TryExec"
    package static let terminal = "Terminal"
    package static let hidden = "Hidden"
    package static let noDisplay = "NoDisplay"
    package static let implements = "Implements"
    package static let dbusActivatable = "DBusActivatable"
    package static let categories = "Categories"
    /// `true` in an entry that PipeBus made as a whole.
    package static let isGenerated = "X-PipeBus-Generated"
}
