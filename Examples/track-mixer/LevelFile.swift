// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import Synchronization
import ToolSupport

/// Keeps the levels of a mixer in a JSON file, by source.
final class LevelFile: Sendable {
    private struct Savings {
        var begun = 0
        var latest = 0
    }

    private let path: String
    private let lock = FileLock()
    private let savings = Mutex(Savings())

    /// - Parameter path: a link in it is followed, and stays.
    init(path: String) {
        guard let real = unsafe realpath(path, nil) else {
            self.path = path
            return
        }
        self.path = unsafe String(cString: real)
        unsafe free(real)
    }

    /// Reads the levels, or creates the file. A file that holds something else is never overwritten, nor one that another mixer
    /// uses.
    ///
    /// - Throws: ``ToolFailure``.
    func load() throws -> SourceLevels {
        let wasThere = try exists()
        switch lock.take(path) {
        case .held: break
        case .taken:
            throw ToolFailure("\(path) is used by another track-mixer, whose levels it keeps; name another file.")
        case .failed(let code):
            guard wasThere else { throw failureToSave(code) }
            throw ToolFailure(
                "\(path) cannot be read (\(unsafe String(cString: strerror(code)))); name another file.")
        }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw ToolFailure("\(path) cannot be read; name another file.")
        }
        guard !data.isEmpty else {
            try write(SourceLevels())
            return SourceLevels()
        }
        do {
            return try JSONDecoder().decode(SourceLevels.self, from: data)
        } catch {
            throw ToolFailure("\(path) holds no levels; name another file, or a new one.")
        }
    }

    /// - Throws: ``ToolFailure`` for anything but a file: reading from a pipe would wait for a writer.
    private func exists() throws -> Bool {
        var status = stat()
        let exists = unsafe stat(path, &status) == 0
        guard !path.hasSuffix("/"), !exists || status.st_mode & S_IFMT != S_IFDIR else {
            throw ToolFailure("\(path) is a folder; name a file.")
        }
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure("\(path) is not a file; name a file, or a new one.")
        }
        return exists
    }

    /// Saves levels, unless a later call has done so: several may save at the same time.
    ///
    /// - Parameter read: reads the present levels; `nil` if there are none any more.
    func save(_ read: () async -> SourceLevels?) async throws {
        let number = savings.withLock { savings in
            savings.begun += 1
            return savings.begun
        }
        guard let levels = await read() else { return }
        try savings.withLock { savings in
            guard number > savings.latest else { return }
            try write(levels)
            savings.latest = number
        }
    }

    /// Replaces the file as a whole, so that it is never half written.
    private func write(_ levels: SourceLevels) throws {
        if let code = lock.replace(path, with: Array(try JSONEncoder().encode(levels))) { throw failureToSave(code) }
    }

    private func failureToSave(_ code: Int32) -> ToolFailure {
        ToolFailure("The levels cannot be saved in \(path): \(SoundFileError.advice(of: code)).")
    }
}
