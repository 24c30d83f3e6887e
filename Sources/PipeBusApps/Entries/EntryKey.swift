// SPDX-License-Identifier: MIT

/// The keys of a desktop entry that PipeBus reads and writes.
enum EntryKey {
    static let group = "Desktop Entry"
    static let type = "Type"
    static let name = "Name"
    static let icon = "Icon"
    static let exec = "Exec"
    static let tryExec = "TryExec"
    static let hidden = "Hidden"
    static let noDisplay = "NoDisplay"
    static let implements = "Implements"
    static let dbusActivatable = "DBusActivatable"
    static let categories = "Categories"
    /// The app's ports, in the form of ``AppPort/text``.
    static let ports = "X-PipeBus-Ports"
    /// `true` in an entry that ``AppRegistration`` made as a whole.
    static let isGenerated = "X-PipeBus-Generated"
    /// The interface that an app with ports implements.
    static let interface = "org.pipebus.Port1"
}
