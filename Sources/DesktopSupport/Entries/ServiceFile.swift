// SPDX-License-Identifier: MIT

/// The file by which a session bus starts an app, in the user's folder.
package enum ServiceFile {
    private static let group = "D-BUS Service"

    private static func file(of id: String) -> EntryFile {
        EntryFile(path: "\(EntryFolders.userServices)/\(id).service")
    }

    /// Writes the file, or brings it up to date. One of somebody else is not touched.
    ///
    /// - Returns: whether it was written.
    /// - Throws: ``DesktopError``.
    package static func write(id: String, program: String, arguments: [String]) throws -> Bool {
        let file = file(of: id)
        switch file.kind {
        case .link, .other: return false
        case .missing: try EntryFolders.make(EntryFolders.userServices)
        case .file: break
        }
        let isNew = file.kind == .missing
        let keys = isNew ? KeyFile() : try file.read()
        guard isNew || isGenerated(keys) else { return false }
        let before = keys.text
        keys.set("Name", to: id, in: group)
        keys.set(
            EntryKey.exec,
            to: ExecLine.serviceText(program: program, arguments: arguments), in: group)
        keys.set(EntryKey.isGenerated, to: "true", in: group)
        guard isNew || keys.text != before else { return false }
        try file.replace(with: keys.text)
        return true
    }

    /// Removes the file, if it was written here. Idempotent.
    ///
    /// - Returns: whether it was removed.
    /// - Throws: ``DesktopError``.
    @discardableResult
    package static func remove(_ id: String) throws -> Bool {
        let file = file(of: id)
        guard file.kind == .file, let keys = try? file.read(), isGenerated(keys) else { return false }
        try file.remove()
        return true
    }

    private static func isGenerated(_ keys: KeyFile) -> Bool {
        keys.string(EntryKey.isGenerated, in: group) == "true"
    }
}
