// SPDX-License-Identifier: MIT
import PipeBus

/// The changes that can be undone, and those that can be made again. A plain value, as it is in a file.
struct ChangeHistory: Codable, Equatable {
    /// The oldest changes are forgotten beyond this number.
    static let limit = 100
    static let version = 1

    private let version: Int
    private(set) var done: [RecordedChange] = []
    private(set) var undone: [RecordedChange] = []

    init() { version = Self.version }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: container, debugDescription: "unknown version")
        }
        done = try container.decode([RecordedChange].self, forKey: .done).suffix(Self.limit)
        undone = try container.decode([RecordedChange].self, forKey: .undone).suffix(Self.limit)
    }

    /// Adds a change. What was undone before cannot be made again after it.
    mutating func add(_ change: RecordedChange) {
        done = (done + [change]).suffix(Self.limit)
        undone = []
    }

    /// Takes the last change.
    mutating func undo() -> RecordedChange? {
        guard let change = done.popLast() else { return nil }
        undone.append(change)
        return change
    }

    /// Takes the change that was undone last.
    mutating func redo() -> RecordedChange? {
        guard let change = undone.popLast() else { return nil }
        done.append(change)
        return change
    }

    /// Forgets the change that was undone or made again last, because that cannot be done.
    mutating func forget(_ change: RecordedChange) {
        if undone.last == change { undone.removeLast() } else if done.last == change { done.removeLast() }
    }
}
