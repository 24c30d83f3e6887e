// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import ToolSupport

/// Keeps the levels of a mixer, by app, as JSON.
struct LevelFile {
    let path: String

    /// Makes the file if there is none yet. What cannot be read is never written over.
    func load() throws -> SourceLevels {
        if !FileManager.default.fileExists(atPath: path) { try write(SourceLevels()) }
        do {
            return try JSONDecoder().decode(SourceLevels.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ToolFailure("\(path) holds no levels that can be read; name another file, or remove it.")
        }
    }

    /// Replaces the file as a whole, so that it is never half written.
    func write(_ levels: SourceLevels) throws {
        do {
            try JSONEncoder().encode(levels).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ToolFailure("The levels cannot be kept in \(path); name a file in a folder that takes files.")
        }
    }
}
