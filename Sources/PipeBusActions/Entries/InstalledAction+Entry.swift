// SPDX-License-Identifier: MIT
import DesktopSupport

extension InstalledAction {
    /// The most actions that are listed.
    private static let largestCount = 1000

    /// All installed actions, sorted by name. What is wrong in an entry is left out.
    ///
    /// - Parameter includesEditors: whether apps count that open sound files and say nothing of actions.
    static func all(includingEditors includesEditors: Bool) -> [InstalledAction] {
        let paths = EntryScan.paths(in: EntryFolders.all)
        let actions = paths.sorted { $0.key < $1.key }.lazy.compactMap {
            InstalledAction(id: $0.key, entryAt: $0.value, includingEditors: includesEditors)
        }
        return actions.prefix(largestCount).sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    /// Reads an entry, which any program may have written.
    ///
    /// - Returns: `nil` for what is no entry of an action.
    init?(id: String, entryAt path: String, includingEditors includesEditors: Bool) {
        guard let bytes = try? BoundedFile.bytes(at: path, upTo: EntryFile.longest) else { return nil }
        self.init(id: id, path: path, bytes: bytes, includingEditors: includesEditors)
    }

    /// - Parameter bytes: the content of the entry.
    init?(id: String, path: String, bytes: [UInt8], includingEditors includesEditors: Bool) {
        let group = EntryKey.group
        // Most entries are of no action, and cost no more than a look.
        guard
            includesEditors || KeyFile.isNamed(EntryKey.actionInterface, in: bytes)
                || KeyFile.isNamed(EntryKey.output, in: bytes),
            let keys = try? KeyFile(bytes: bytes), keys.canBeStarted
        else { return nil }
        let output = keys.string(EntryKey.output, in: group)
        let isEditor: Bool
        switch output {
        case _ where keys.list(EntryKey.implements, in: group).contains(EntryKey.actionInterface):
            (transport, isEditor) = (.bus, false)
        case let name? where name == "%f" || Self.isFileName(name):
            (transport, isEditor) = (.program(output: name == "%f" ? nil : name), false)
        case nil where includesEditors:
            (transport, isEditor) = (.program(output: nil), true)
        default: return nil
        }
        let takesFiles = Self.fileCode(ofExec: keys.string(EntryKey.exec, in: group) ?? "")
        if case .program = transport, takesFiles == nil || keys.isTrue(EntryKey.terminal, in: group) { return nil }

        let types = keys.list(EntryKey.accepts, in: group)
        self.isEditor = isEditor
        acceptedTypes = (types.isEmpty ? keys.list(EntryKey.mimeType, in: group) : types).prefix(1000)
            .map { MIMEType($0) }.filter { $0.isValid && (!isEditor || $0.isSound) }
        guard !acceptedTypes.isEmpty else { return nil }
        func shown(_ text: String?) -> String? { text.flatMap { ActionText.isShown($0) ? $0 : nil } }
        self.id = id
        name = shown(keys.translatedString(EntryKey.name, in: group)) ?? id
        comment = shown(keys.translatedString(EntryKey.comment, in: group))
        iconName = shown(keys.string(EntryKey.icon, in: group))
        suffix =
            shown(keys.translatedString(EntryKey.suffix, in: group)).flatMap { ResultName.isSuffix($0) ? $0 : nil }
            ?? ResultName.cleaned(name) ?? id
        let several = keys.string(EntryKey.files, in: group) == "several"
        // A program that has written one file has one result.
        acceptsSeveralFiles = several && (transport == .bus || takesFiles == .several && output != "%f" && !isEditor)
        isInteractive = isEditor || keys.isTrue(EntryKey.isInteractive, in: group)
        var parameters: [ActionParameter] = []
        for text in keys.list(EntryKey.parameters, in: group) where transport == .bus {
            guard parameters.count < ActionDescription.largestParameterCount else { break }
            guard let parameter = ActionParameter(text: text),
                !parameters.contains(where: { $0.name == parameter.name })
            else { continue }
            parameters.append(parameter)
        }
        self.parameters = parameters
        entryPath = path
    }

    private enum FileCode { case one, several }

    /// Which field code for files a command line has (Desktop Entry Specification 1.5, "The Exec key").
    private static func fileCode(ofExec line: String) -> FileCode? {
        var code: FileCode?
        var isPercent = false
        for byte in line.utf8 {
            guard isPercent else {
                isPercent = byte == UInt8(ascii: "%")
                continue
            }
            isPercent = false
            switch byte {
            case UInt8(ascii: "f"), UInt8(ascii: "u"): code = .one
            case UInt8(ascii: "F"), UInt8(ascii: "U"): code = .several
            default: break
            }
        }
        return code
    }

    private static func isFileName(_ name: String) -> Bool {
        ResultName.cleaned(name) == name && !name.utf8.contains(UInt8(ascii: "%"))
    }
}
