// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph
import DesktopSupport
import Glibc

/// Makes an action known to other apps: writes its desktop entry, and the file by which D-Bus starts it.
///
/// What `--install` does; an app with a main function of its own calls it.
///
/// - Thread: any but the audio thread. A value.
/// - Realtime: unsafe.
public struct ActionRegistration: Sendable, Hashable {
    /// What the action is.
    public var description: ActionDescription
    /// The absolute path of the program.
    public var program: String
    /// The program's arguments when a file manager starts it; the files follow.
    public var arguments: [String]
    /// The program's arguments when D-Bus starts it.
    public var serviceArguments: [String]

    /// - Parameters:
    ///   - program: the absolute path; the running program unless given.
    ///   - arguments: those of an ``AudioAction`` with `@main` unless given.
    ///   - serviceArguments: those of an ``AudioAction`` with `@main` unless given.
    public init(
        _ description: ActionDescription, program: String? = nil, arguments: [String] = ["--beside"],
        serviceArguments: [String]? = nil
    ) {
        self.description = description
        self.program = program ?? RunningProgram.path
        self.arguments = arguments
        self.serviceArguments = serviceArguments ?? ["--\(ActionOptions.serviceFlag)"]
    }

    /// What ``register()`` did.
    public enum Outcome: Sendable, Hashable {
        /// The entry at this path is new, or was brought up to date.
        case written(path: String)
        /// The entry at this path said the same already.
        case unchanged(path: String)
        /// A package, or a link, has the entry at this path, which was not touched.
        case packaged(path: String)
    }

    /// Writes the entry into the user's folder, or brings it up to date. It is replaced as a whole. What opens sound files stays what it was.
    ///
    /// - Throws: ``ActionFailure`` `invalidDescription`; `unwritable`, also for an entry that somebody else has written.
    @discardableResult
    public func register() throws -> Outcome {
        try check()
        do {
            return try write()
        } catch let error as DesktopError {
            throw ActionFailure(.unwritable, error.message)
        }
    }

    private func write() throws -> Outcome {
        let id = description.id
        if let packaged = EntryFolders.packagedEntry(of: id) { return .packaged(path: packaged.path) }
        let entry = EntryFolders.userEntry(of: id)
        switch entry.kind {
        case .link, .other: return .packaged(path: entry.path)
        case .missing: try EntryFolders.make(EntryFolders.user)
        case .file: break
        }
        let keys = entry.kind == .missing ? KeyFile() : try entry.read()
        guard entry.kind == .missing || keys.isGeneratedAction else {
            throw ActionFailure(
                .unwritable,
                "\"\(entry.path)\" is an entry that somebody else has written; remove it, or give the action another id."
            )
        }
        let before = keys.text
        put(into: keys)
        let types = SoundTypes.concrete(description.acceptedTypes)
        if entry.kind == .missing { DefaultApps.keep(for: types, except: id) }
        var isWritten = try ServiceFile.write(id: id, program: program, arguments: serviceArguments)
        if keys.text != before {
            try entry.replace(with: keys.text)
            isWritten = true
        }
        return isWritten ? .written(path: entry.path) : .unchanged(path: entry.path)
    }

    /// Tells the desktop of a change: the bus, and the list by which file managers find apps for a type. Where that cannot be told, it finds the
    /// action at the next login.
    public static func announce() async {
        if let bus = try? await SessionBus.connect(within: .seconds(1)) { try? await bus.reloadServices() }
        await updateTypes()
    }

    /// update-desktop-database belongs to desktop-file-utils.
    @concurrent
    private static func updateTypes() async {
        guard let path = unsafe g_find_program_in_path("update-desktop-database") else { return }
        defer { unsafe g_free(path) }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe [path, g_strdup("-q"), g_strdup(EntryFolders.user), nil]
        defer { unsafe words[1...2].forEach { unsafe g_free($0) } }
        let flags = GSpawnFlags(
            rawValue: G_SPAWN_STDOUT_TO_DEV_NULL.rawValue | G_SPAWN_STDERR_TO_DEV_NULL.rawValue)
        unsafe g_spawn_sync(nil, &words, nil, flags, nil, nil, nil, nil, nil, nil)
    }

    /// Takes back what ``register()`` has written. Idempotent.
    ///
    /// - Returns: whether there was anything to take back.
    /// - Throws: ``ActionFailure`` `invalidDescription` for what is no id; `unwritable`.
    @discardableResult
    public static func unregister(_ id: String) throws -> Bool {
        guard AppID.isValid(id) else {
            throw ActionFailure(
                .invalidDescription, "\"\(id.shown())\" is no id of an action; it must look like org.example.Action.")
        }
        do {
            let entry = EntryFolders.userEntry(of: id)
            guard entry.kind == .file, try entry.read().isGeneratedAction else { return false }
            try entry.remove()
            try ServiceFile.remove(id)
            return true
        } catch let error as DesktopError {
            throw ActionFailure(.unwritable, error.message)
        }
    }

    // MARK: The entry

    private func put(into keys: KeyFile) {
        let group = EntryKey.group
        func set(_ key: String, _ value: String?) {
            if let value {
                keys.set(key, to: value, in: group)
            } else if keys.has(key, in: group) {
                keys.remove(key, in: group)
            }
        }
        set(EntryKey.type, "Application")
        set(EntryKey.name, description.name)
        set(EntryKey.comment, description.comment)
        set(EntryKey.icon, description.iconName)
        let line = ExecLine.text(program: program, arguments: arguments) ?? ""
        set(EntryKey.exec, line + (description.acceptsSeveralFiles ? " %F" : " %f"))
        // An entry whose program is gone counts as none.
        set(EntryKey.tryExec, program)
        keys.set(EntryKey.categories, to: ["AudioVideo", "Audio"], in: group)
        // It is for files, and no app of a menu.
        set(EntryKey.noDisplay, "true")
        set(EntryKey.isGenerated, "true")
        keys.set(EntryKey.implements, to: [EntryKey.actionInterface], in: group)
        keys.set(EntryKey.accepts, to: description.acceptedTypes.map(\.name), in: group)
        keys.set(EntryKey.mimeType, to: SoundTypes.concrete(description.acceptedTypes).map(\.name), in: group)
        set(EntryKey.suffix, description.suffix)
        set(EntryKey.files, description.acceptsSeveralFiles ? "several" : "one")
        set(EntryKey.isInteractive, description.isInteractive ? "true" : "false")
        if description.parameters.isEmpty {
            set(EntryKey.parameters, nil)
        } else {
            keys.set(EntryKey.parameters, to: description.parameters.map(\.text), in: group)
        }
    }

    private func check() throws {
        try description.check()
        guard ExecLine.text(program: program, arguments: arguments + serviceArguments) != nil,
            unsafe access(program, X_OK) == 0
        else {
            throw ActionFailure(
                .invalidDescription,
                "\"\(program.shown(atMost: 200))\" is no program that can be started from a desktop entry; give the absolute path of one, without = and control characters."
            )
        }
    }
}

extension KeyFile {
    /// Whether PipeBus wrote it, for an action.
    fileprivate var isGeneratedAction: Bool {
        string(EntryKey.isGenerated, in: EntryKey.group) == "true"
            && list(EntryKey.implements, in: EntryKey.group).contains(EntryKey.actionInterface)
    }
}
