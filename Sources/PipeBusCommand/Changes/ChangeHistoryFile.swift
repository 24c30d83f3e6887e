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
    private let folder: String
    private let path: String

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
        path = "\(folder)/changes-\(String(hash.value, radix: 16)).json"
    }

    /// Adds a change that was made. Without a place for the file it cannot be undone, which is no failure of the command.
    func record(_ change: ConnectionChange) { if let problem = recording(change) { Terminal.note(problem) } }

    /// Adds a change that was made.
    ///
    /// - Returns: why it cannot be undone, as a sentence; `nil` if it can.
    func recording(_ change: ConnectionChange) -> String? {
        guard !change.isEmpty else { return nil }
        do {
            try update { $0.add(RecordedChange(change)) }
            return nil
        } catch {
            return "\"pipebus undo\" will not know of this: \(ErrorText.sentence(for: error))"
        }
    }

    /// Changes the history, under a lock.
    ///
    /// - Throws: ``ToolFailure``.
    func update<Result>(_ change: (inout ChangeHistory) throws -> Result) throws -> Result {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw ToolFailure("\(folder.quoted) cannot be made; set XDG_STATE_HOME to a folder of yours.")
        }
        let lock = unsafe open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
            if lock >= 0 { close(lock) }
            throw ToolFailure("\(path.quoted) cannot be written; set XDG_STATE_HOME to a folder of yours.")
        }
        defer { close(lock) }
        var history = read()
        let old = history
        let result = try change(&history)
        guard history != old else { return result }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            // Replaced as a whole: a command that is killed leaves the old one.
            try encoder.encode(history).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ToolFailure("\(path.quoted) cannot be written; set XDG_STATE_HOME to a folder of yours.")
        }
        return result
    }

    /// A damaged file, or one of a later version, counts as an empty one.
    private func read() -> ChangeHistory {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: Self.largestSize + 1), data.count <= Self.largestSize,
            let history = try? JSONDecoder().decode(ChangeHistory.self, from: data)
        else { return ChangeHistory() }
        return history
    }
}
