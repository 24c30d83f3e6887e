// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import ToolSupport

/// The file of a daemon's ``ChangeHistory``, in `$XDG_STATE_HOME/pipebus`.
///
/// Several commands may use it at once: each locks it for as long as it changes it.
struct ChangeHistoryFile {
    /// More than a history of the longest names takes.
    private static let largestSize = 4 << 20
    private static let advice = "make room there, or set XDG_STATE_HOME to a folder of yours"
    private let folder: String
    private let path: String
    /// An empty file beside the daemon's socket. While it is there, the history lacks its last change. It is in another folder, because
    /// that of the history may take nothing.
    private let mark: String?

    /// - Parameter remote: the daemon's name or path, as it was given.
    init(remote: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let name = remote ?? value("PIPEWIRE_REMOTE") ?? "pipewire-0"
        let runtime = value("PIPEWIRE_RUNTIME_DIR") ?? value("XDG_RUNTIME_DIR") ?? "/run"
        let socket = name.hasPrefix("/") ? name : "\(runtime)/\(name)"
        let state = value("XDG_STATE_HOME") ?? "\(value("HOME") ?? "/")/.local/state"
        folder = "\(state)/pipebus"
        // A path may be longer than a file's name.
        var hash = FNV1a()
        hash.add(socket)
        let file = "changes-\(String(hash.value, radix: 16))"
        path = "\(folder)/\(file).json"
        mark = (value("XDG_RUNTIME_DIR") ?? value("PIPEWIRE_RUNTIME_DIR")).map { "\($0)/pipebus-\(file).incomplete" }
    }

    /// Adds a change that was made. Without a place for the file it cannot be undone, which is no failure of the command.
    func record(_ change: ConnectionChange) {
        if let problem = recording(change) { Terminal.complain(problem, as: "pipebus") }
    }

    /// Notes that a connection without links was removed: with which channels it would be made again is not known.
    func recordLoss() {
        _ = forget()
        Terminal.complain(
            "\"pipebus undo\" will not know of this, nor of what was before: there were no links, because the source does not answer.",
            as: "pipebus")
    }

    /// Adds a change that was made.
    ///
    /// - Returns: why it, or one before it, cannot be undone, as a sentence; `nil` if they can.
    func recording(_ change: ConnectionChange) -> String? {
        guard !change.isEmpty else { return nil }
        return follow { $0.add(RecordedChange(change)) }
    }

    /// Changes the history after a change of connections. If that fails, the history is forgotten: it would give an older change for
    /// the last one.
    ///
    /// - Returns: why it, or a change before it, cannot be undone, as a sentence; `nil` if they can.
    func follow(_ change: (inout ChangeHistory) -> Void) -> String? {
        do {
            // The loss of another change was said at that time.
            guard case .damagedFile? = try update(change).loss else { return nil }
            return HistoryLoss.damagedFile(path).sentence
        } catch {
            let older = forget() ? "nor of what was before" : "and takes the change before it for the last one"
            return "\"pipebus undo\" will not know of this, \(older): \(ErrorText.sentence(for: error))"
        }
    }

    /// - Returns: whether no older change is taken for the last one.
    private func forget() -> Bool {
        let isRemoved = unsafe unlink(path) == 0 || [ENOENT, ENOTDIR].contains(errno)
        guard let mark else { return isRemoved }
        let descriptor = unsafe open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { close(descriptor) }
        return isRemoved || descriptor >= 0
    }

    /// Changes the history, under a lock.
    ///
    /// - Returns: the result, and why the history lacked changes before.
    /// - Throws: ``ToolFailure``.
    func update<Result>(
        _ change: (inout ChangeHistory) throws -> Result
    ) throws -> (result: Result, loss: HistoryLoss?) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw ToolFailure("\(folder.quoted) cannot be made; set XDG_STATE_HOME to a folder of yours.")
        }
        let lock = unsafe open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
            if lock >= 0 { close(lock) }
            throw ToolFailure("\(path.quoted) cannot be written; \(Self.advice).")
        }
        defer { close(lock) }
        var (history, loss) = read()
        let old = history
        let result = try change(&history)
        guard history != old else { return (result, loss) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Replaced as a whole: a command that is killed leaves the old one.
        try ReplacedFile(path: path, example: "", advice: Self.advice).write(
            String(decoding: try encoder.encode(history), as: UTF8.self))
        if let mark { unsafe unlink(mark) }
        return (result, loss)
    }

    /// A damaged file, or one of a later version, counts as an empty one, and so does one that lacks the last change.
    private func read() -> (ChangeHistory, HistoryLoss?) {
        if let mark, unsafe access(mark, F_OK) == 0 { return (ChangeHistory(), .unrecordedChange) }
        guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return (ChangeHistory(), nil) }
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: Self.largestSize + 1), data.count <= Self.largestSize,
            let history = try? JSONDecoder().decode(ChangeHistory.self, from: data)
        else { return (ChangeHistory(), .damagedFile(path)) }
        return (history, nil)
    }
}
