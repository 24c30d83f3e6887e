// SPDX-License-Identifier: MIT
import DesktopSupport
import PipeBus

extension InstalledApp {
    /// The most apps that are listed.
    private static let largestCount = 1000

    /// All apps whose entries declare ports, sorted by name. What is wrong in an entry is left out.
    static func all() -> [InstalledApp] {
        let paths = EntryScan.paths(in: EntryFolders.all)
        let apps = paths.sorted { $0.key < $1.key }.lazy.compactMap { InstalledApp(id: $0.key, entryAt: $0.value) }
        return apps.prefix(largestCount).sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    /// Reads an entry, which any program may have written.
    ///
    /// - Returns: `nil` for what is no entry of an app, or of one without a port.
    init?(id: String, entryAt path: String) {
        guard let bytes = try? BoundedFile.bytes(at: path, upTo: EntryFile.longest) else { return nil }
        self.init(id: id, path: path, bytes: bytes)
    }

    /// - Parameter bytes: the content of the entry.
    init?(id: String, path: String, bytes: [UInt8]) {
        // Most entries declare no ports, and cost no more than a look.
        guard KeyFile.isNamed(EntryKey.interface, in: bytes), let keys = try? KeyFile(bytes: bytes),
            keys.list(EntryKey.implements, in: EntryKey.group).contains(EntryKey.interface),
            keys.canBeStarted
        else { return nil }
        var ports: [AppPort] = []
        for text in keys.list(EntryKey.ports, in: EntryKey.group) where ports.count < AppPort.largestCount {
            guard let port = AppPort(text: text), !ports.contains(where: { $0.name == port.name }) else { continue }
            ports.append(port)
        }
        guard !ports.isEmpty else { return nil }
        self.id = id
        name =
            keys.translatedString(EntryKey.name, in: EntryKey.group).flatMap { EntryText.isShown($0) ? $0 : nil } ?? id
        iconName = keys.string(EntryKey.icon, in: EntryKey.group).flatMap { EntryText.isShown($0) ? $0 : nil }
        self.ports = ports
        isDBusActivatable = keys.isTrue(EntryKey.dbusActivatable, in: EntryKey.group)
        entryPath = TerminalText.printable(path)
    }
}
