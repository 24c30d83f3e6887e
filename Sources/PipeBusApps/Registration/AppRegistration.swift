// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import PipeBus

/// Makes an app known to patchbays before it runs: its desktop entry says which ports it has, and how to start it.
///
/// ```swift
/// let registration = AppRegistration(
///     id: "org.example.synth", name: "Voice Synth", iconName: "audio-card", ports: [.sender("out"), .receiver("voice")])
/// try registration.register()
/// ```
///
/// Call ``register()`` at each start: an app that was moved is found again. An app that a package has installed brings its
/// entry along, with the same keys (Docs/Apps.md), and then nothing is written.
///
/// - Thread: any but the audio thread. A value.
/// - Realtime: unsafe.
public struct AppRegistration: Sendable, Hashable {
    /// The reverse-DNS id of the app, as for `BusClient.connect(as:name:)`. It is the name of the entry.
    public var id: String
    /// The app's name, for people.
    public var name: String
    /// The app's icon in the icon theme, or the absolute path of a picture.
    public var iconName: String?
    /// The ports that the app has when it runs. Each has another name.
    public var ports: [AppPort]
    /// The absolute path of the program.
    public var program: String
    /// The program's arguments.
    public var arguments: [String]
    /// Whether the desktop's menus show the app too.
    public var isInMenus: Bool
    /// Whether D-Bus starts the app, once for all who want it. The program must start an ``AppService`` then, which takes the name that
    /// a bus waits for.
    public var isDBusActivatable: Bool

    /// - Parameter program: the absolute path; the running program unless given.
    public init(
        id: String, name: String, iconName: String? = nil, ports: [AppPort], program: String? = nil,
        arguments: [String] = [], isInMenus: Bool = false, isDBusActivatable: Bool = false
    ) {
        self.id = id
        self.name = name
        self.iconName = iconName
        self.ports = ports
        self.program = program ?? RunningProgram.path
        self.arguments = arguments
        self.isInMenus = isInMenus
        self.isDBusActivatable = isDBusActivatable
    }

    /// What ``register()`` did.
    public enum Outcome: Sendable, Hashable {
        /// The entry at this path is new, or was brought up to date.
        case written(path: String)
        /// The entry at this path said the same already.
        case unchanged(path: String)
        /// A package, or a link, has the entry at this path, which was not touched.
        case packaged(path: String)

        /// The path of the entry.
        public var path: String {
            switch self {
            case .written(let path), .unchanged(let path), .packaged(let path): path
            }
        }
    }

    /// Writes the app's desktop entry into the user's folder, or brings it up to date; with ``isDBusActivatable`` the file by which D-Bus
    /// starts the app, too.
    ///
    /// Only the keys that PipeBus needs are changed in an entry that somebody else has written. The entry is replaced as a
    /// whole, so that no program ever reads half of one.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument` for a bad value, or for an entry that cannot be read; `noPermission`.
    @discardableResult
    public func register() throws -> Outcome {
        try check()
        return try PipeBusError.of { try write() }
    }

    private func write() throws -> Outcome {
        if let packaged = EntryFolders.packagedEntry(of: id) { return .packaged(path: packaged.path) }
        let entry = EntryFolders.userEntry(of: id)
        switch entry.kind {
        case .link, .other: return .packaged(path: entry.path)
        case .missing: try EntryFolders.make(EntryFolders.user)
        case .file: break
        }
        let isNew = entry.kind == .missing
        let keys = isNew ? KeyFile() : try entry.read()
        let before = keys.text
        put(into: keys, isNew: isNew)
        // First what the entry promises.
        let isOwn = keys.string(EntryKey.isGenerated, in: EntryKey.group) == "true"
        var isWritten =
            isOwn && isDBusActivatable ? try ServiceFile.write(id: id, program: program, arguments: arguments) : false
        if isNew || keys.text != before {
            try entry.replace(with: keys.text)
            isWritten = true
        }
        if isOwn, !isDBusActivatable, try ServiceFile.remove(id) { isWritten = true }
        return isWritten ? .written(path: entry.path) : .unchanged(path: entry.path)
    }

    /// Takes back what ``register()`` has written: the whole entry, or its keys in an entry of somebody else. Idempotent.
    ///
    /// - Returns: whether there was anything to take back.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `noPermission`.
    @discardableResult
    public static func unregister(_ id: String) throws -> Bool {
        try Names.check(appID: id)
        return try PipeBusError.of { try remove(id) }
    }

    private static func remove(_ id: String) throws -> Bool {
        let entry = EntryFolders.userEntry(of: id)
        guard entry.kind == .file else { return false }
        let keys = try entry.read()
        if keys.string(EntryKey.isGenerated, in: EntryKey.group) == "true" {
            try entry.remove()
            try ServiceFile.remove(id)
            return true
        }
        guard keys.has(EntryKey.ports, in: EntryKey.group) else { return false }
        keys.remove(EntryKey.ports, in: EntryKey.group)
        let others = keys.list(EntryKey.implements, in: EntryKey.group).filter { $0 != EntryKey.interface }
        if others.isEmpty {
            keys.remove(EntryKey.implements, in: EntryKey.group)
        } else {
            keys.set(EntryKey.implements, to: others, in: EntryKey.group)
        }
        try entry.replace(with: keys.text)
        return true
    }

    // MARK: The entry

    private func put(into keys: KeyFile, isNew: Bool) {
        let group = EntryKey.group
        if isNew || keys.string(EntryKey.isGenerated, in: group) == "true" {
            keys.set(EntryKey.type, to: "Application", in: group)
            keys.set(EntryKey.name, to: name, in: group)
            set(EntryKey.icon, to: iconName, in: keys)
            keys.set(EntryKey.exec, to: ExecLine.text(program: program, arguments: arguments) ?? "", in: group)
            // An entry whose program is gone counts as none.
            keys.set(EntryKey.tryExec, to: program, in: group)
            keys.set(EntryKey.categories, to: ["AudioVideo", "Audio"], in: group)
            set(EntryKey.noDisplay, to: isInMenus ? nil : "true", in: keys)
            set(EntryKey.dbusActivatable, to: isDBusActivatable ? "true" : nil, in: keys)
            keys.set(EntryKey.isGenerated, to: "true", in: group)
        }
        let interfaces = keys.list(EntryKey.implements, in: group)
        if !interfaces.contains(EntryKey.interface) {
            keys.set(EntryKey.implements, to: interfaces + [EntryKey.interface], in: group)
        }
        keys.set(EntryKey.ports, to: ports.map(\.text), in: group)
    }

    private func set(_ key: String, to value: String?, in keys: KeyFile) {
        if let value {
            keys.set(key, to: value, in: EntryKey.group)
        } else if keys.has(key, in: EntryKey.group) {
            keys.remove(key, in: EntryKey.group)
        }
    }

    // MARK: Checks

    private func check() throws {
        try Names.check(appID: id)
        try Names.check(text: name, what: "The name of the app")
        if let iconName { try Names.check(text: iconName, what: "The name of the icon") }
        guard !ports.isEmpty else {
            throw PipeBusError(.invalidArgument, "The app declares no port; name at least one.")
        }
        guard ports.count <= AppPort.largestCount else {
            throw PipeBusError(
                .invalidArgument, "The app declares \(ports.count) ports; at most \(AppPort.largestCount) are allowed.")
        }
        for port in ports { try port.check() }
        guard Set(ports.map(\.name)).count == ports.count else {
            throw PipeBusError(.invalidArgument, "Two ports of the app have one name; give each another one.")
        }
        guard ExecLine.text(program: program, arguments: arguments) != nil else {
            throw PipeBusError(
                .invalidArgument,
                "\"\(Names.shown(program))\" cannot be started from a desktop entry; give the absolute path of a program, without = "
                    + "and control characters in it or in the arguments.")
        }
        // An entry of a program that is not there counts as none.
        guard unsafe access(program, X_OK) == 0 else {
            throw PipeBusError(
                .invalidArgument,
                "The program \"\(Names.shown(program))\" cannot be run (\(unsafe String(cString: strerror(errno)))); give the path of one that can."
            )
        }
    }
}
