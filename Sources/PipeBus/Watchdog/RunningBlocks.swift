// SPDX-License-Identifier: MIT

/// Process blocks that were running when the loop looked, and that a second thread looks at until they return. Pure.
///
/// It counts looks instead of time: while the process is stopped, nobody looks.
struct RunningBlocks<Block> {
    struct Entry {
        var block: Block
        /// The audio thread's mark when the loop looked; see ``BlockStallDetector``.
        var mark: UInt32
        /// The time after which the block counts as one that does not return.
        var limit: Duration
        /// The begin of the call that was running at the first look.
        fileprivate var begun: UInt64?
        fileprivate var time = Duration.zero
        fileprivate var isStuck = false

        init(block: Block, mark: UInt32, limit: Duration) {
            self.block = block
            self.mark = mark
            self.limit = limit
        }
    }

    /// The time from one look to the next.
    static var interval: Duration { .milliseconds(20) }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The mark of the last call of each port that was reported.
    private var reported: [ObjectIdentifier: UInt32] = [:]

    var isEmpty: Bool { entries.isEmpty }
    /// Whether a call is running that takes longer than its limit.
    var isAnyStuck: Bool { entries.values.contains { $0.isStuck } }

    /// Adds a block, unless this call of it is here.
    mutating func add(_ entry: Entry, of port: ObjectIdentifier) {
        if let known = entries[port], known.mark == entry.mark || known.isStuck { return }
        entries[port] = entry
    }

    /// Looks once more at every block.
    ///
    /// - Parameter begin: the begin of a block's present call; `nil` while none is running.
    /// - Returns: the blocks that do not return, each once, but for those that the loop has reported.
    mutating func look(_ begin: (Block) -> UInt64?) -> [Block] {
        var found: [Block] = []
        for (port, var entry) in entries {
            let begun = begin(entry.block)
            guard let begun, entry.begun == nil || entry.begun == begun else {
                entries[port] = nil
                continue
            }
            if entry.begun != nil { entry.time += Self.interval }
            entry.begun = begun
            if !entry.isStuck, entry.time >= entry.limit {
                entry.isStuck = true
                if claim(mark: entry.mark, of: port) { found.append(entry.block) }
            }
            entries[port] = entry
        }
        return found
    }

    /// Takes note that a call is reported.
    ///
    /// - Returns: whether it was not before.
    mutating func claim(mark: UInt32, of port: ObjectIdentifier) -> Bool {
        reported.updateValue(mark, forKey: port) != mark
    }

    /// Forgets a port that is closed.
    mutating func forget(_ port: ObjectIdentifier) {
        reported[port] = nil
    }
}

extension RunningBlocks: Sendable where Block: Sendable {}
extension RunningBlocks.Entry: Sendable where Block: Sendable {}
