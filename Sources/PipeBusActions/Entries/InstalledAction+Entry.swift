// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

extension InstalledAction {
    /// The most actions that are listed.
    private static let largestCount = 1000

    /// All installed actions, sorted by name. What is wrong in an entry is left out.
    ///
    /// - Parameter includesEditors: whether apps count that open sound files and say nothing of actions.
    static func all(includingEditors includesEditors: Bool) -> [InstalledAction] {
        let actions = readings(includingEditors: includesEditors).compactMap { reading -> InstalledAction? in
            if case .action(let action) = reading.reading { action } else { nil }
        }
        return actions.prefix(largestCount).sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    /// What is wrong in entries that mean to be actions, as sentences.
    static var warnings: [String] {
        readings(includingEditors: false).compactMap { path, reading in
            guard case .wrong(let reason) = reading else { return nil }
            return "\"\(path.shown(atMost: 300))\" is no action, because \(reason)."
        }
    }

    private static func readings(includingEditors includesEditors: Bool) -> [(path: String, reading: Reading)] {
        let paths = EntryScan.paths(in: EntryFolders.all) { EntryText.isShown($0) }
        return paths.sorted { $0.key < $1.key }.compactMap { id, path in
            guard let bytes = try? BoundedFile.bytes(at: path, upTo: EntryFile.longest) else { return nil }
            return (path, Reading(id: id, path: path, bytes: bytes, includingEditors: includesEditors))
        }
    }

    /// What an entry is, which any program may have written.
    enum Reading {
        case action(InstalledAction)
        /// The entry of something else, or of an action whose program is gone.
        case other
        /// It means to be an action, and is none.
        ///
        /// - Parameter reason: a part of a sentence, with what to do.
        case wrong(reason: String)

        /// - Parameter bytes: the content of the entry.
        init(id: String, path: String, bytes: [UInt8], includingEditors includesEditors: Bool) {
            // Most entries are of no action, and cost no more than a look.
            let isNamed =
                KeyFile.isNamed(EntryKey.actionInterface, in: bytes) || KeyFile.isNamed(EntryKey.output, in: bytes)
            guard includesEditors || isNamed, let keys = try? KeyFile(bytes: bytes) else {
                self = .other
                return
            }
            do {
                self = try InstalledAction(id, path, keys, includesEditors).map { .action($0) } ?? .other
            } catch {
                self = .wrong(reason: error.reason)
            }
        }
    }

    /// - Parameter bytes: the content of the entry.
    /// - Returns: `nil` for what is no entry of an action.
    init?(id: String, path: String, bytes: [UInt8], includingEditors includesEditors: Bool) {
        guard case .action(let action) = Reading(id: id, path: path, bytes: bytes, includingEditors: includesEditors)
        else { return nil }
        self = action
    }

    private struct Fault: Error {
        let reason: String
    }

    private init?(_ id: String, _ path: String, _ keys: KeyFile, _ includesEditors: Bool) throws(Fault) {
        let group = EntryKey.group
        guard let (transport, isEditor) = try Self.transport(keys, id, includesEditors), keys.canBeStarted else {
            return nil
        }
        let line = keys.string(EntryKey.exec, in: group) ?? ""
        let fileCode = Self.fileCode(ofExec: line)
        if case .program = transport {
            let isInTerminal = keys.isTrue(EntryKey.terminal, in: group)
            if isEditor, fileCode == nil || isInTerminal { return nil }
            guard fileCode != nil else { throw Fault(reason: "its Exec line has no %f for the file; add one") }
            guard isEditor || ExecLine.isWhole(line) else {
                throw Fault(reason: "its Exec line has a quotation mark without another one; mend it")
            }
            guard !isInTerminal else {
                throw Fault(reason: "it wants a terminal, and an action has none; remove Terminal=true")
            }
        }
        let types = keys.list(EntryKey.accepts, in: group)
        let accepted = (types.isEmpty ? keys.list(EntryKey.mimeType, in: group) : types).prefix(1000)
            .map { MIMEType($0) }.filter { $0.isValid && (!isEditor || $0.isSound) }
        guard !accepted.isEmpty else {
            if isEditor { return nil }
            throw Fault(reason: "it takes no types; add \(EntryKey.accepts)=audio/*;")
        }
        guard accepted.contains(where: { $0.isSound || MIMEType.anySound.conforms(to: $0) }) else {
            throw Fault(reason: "it takes no type of sound; add such as \(EntryKey.accepts)=audio/*;")
        }
        func shown(_ text: String?) -> String? { text.flatMap { ActionText.isShown($0) ? $0 : nil } }
        self.id = id
        self.transport = transport
        self.isEditor = isEditor
        acceptedTypes = accepted
        let name = shown(keys.translatedString(EntryKey.name, in: group)) ?? id
        self.name = name
        comment = shown(keys.translatedString(EntryKey.comment, in: group))
        iconName = shown(keys.string(EntryKey.icon, in: group))
        let suffix = shown(keys.translatedString(EntryKey.suffix, in: group))
        self.suffix =
            suffix.flatMap { ResultName.isSuffix($0) ? $0 : nil }
            ?? ResultName.bounded(ResultName.cleaned(name) ?? "Result", atMost: EntryText.longest)
        let several = keys.string(EntryKey.files, in: group) == "several"
        // A program that changes the file that it is given has one result.
        acceptsSeveralFiles =
            several && (transport == .bus || fileCode == .several && transport != .program(output: nil))
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

    private static func transport(
        _ keys: KeyFile, _ id: String, _ includesEditors: Bool
    ) throws(Fault) -> (Transport, isEditor: Bool)? {
        if keys.list(EntryKey.implements, in: EntryKey.group).contains(EntryKey.actionInterface) {
            guard AppID.isValid(id) else {
                throw Fault(reason: "its name is none on the bus; call it such as org.example.Action.desktop")
            }
            return (.bus, false)
        }
        guard let output = keys.string(EntryKey.output, in: EntryKey.group) else {
            return includesEditors ? (.program(output: nil), true) : nil
        }
        guard output == "%f" || isFileName(output) else {
            throw Fault(
                reason: "\(EntryKey.output) is \"\(output.shown())\"; name a file without folders, or %f")
        }
        return (.program(output: output == "%f" ? nil : output), false)
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
