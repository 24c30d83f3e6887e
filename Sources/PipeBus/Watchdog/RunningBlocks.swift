// SPDX-License-Identifier: MIT

/// Finds process blocks that do not return, by looking at every port again and again. Pure.
///
/// It counts looks instead of time: while the process is stopped, nobody looks.
struct RunningBlocks<Block: Sendable>: Sendable {
    private struct Entry: Sendable {
        var block: Block
        var limit: Duration
        /// The begin of the call that ran at the last look; `nil` if none did.
        var begun: UInt64?
        /// The time for which it has been seen running.
        var time = Duration.zero
        var isStuck = false
        /// Whether PipeWire does not run the port any more. A call may still be running then.
        var isForgotten = false
    }

    /// The time from one look to the next while a block runs.
    static var interval: Duration { .milliseconds(20) }
    /// The same while none runs.
    static var pause: Duration { .milliseconds(100) }

    private var entries: [ObjectIdentifier: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }
    /// Whether a block was running at the last look.
    var isAnyRunning: Bool { entries.values.contains { $0.begun != nil } }
    /// Whether a call is running that takes longer than its limit.
    var isAnyStuck: Bool { entries.values.contains { $0.isStuck } }

    /// Looks at a port from now on, or changes its limit.
    ///
    /// - Parameter limit: the time after which a block counts as one that does not return.
    mutating func watch(_ block: Block, of port: ObjectIdentifier, limit: Duration) {
        var entry = entries[port] ?? Entry(block: block, limit: limit)
        (entry.limit, entry.isForgotten) = (limit, false)
        entries[port] = entry
    }

    /// Looks at a port no more, from the look on at which no call of its block runs. Idempotent.
    mutating func forget(_ port: ObjectIdentifier) { entries[port]?.isForgotten = true }

    /// Looks once more at every port.
    ///
    /// - Parameter begin: the begin of a block's present call; `nil` while none is running.
    /// - Returns: the blocks that do not return, each once for each such call.
    mutating func look(_ begin: (Block) -> UInt64?) -> [Block] {
        var found: [Block] = []
        for (port, var entry) in entries {
            let begun = begin(entry.block)
            if begun == nil, entry.isForgotten {
                entries[port] = nil
                continue
            }
            if begun == nil || begun != entry.begun {
                (entry.begun, entry.time, entry.isStuck) = (begun, .zero, false)
            } else {
                entry.time += Self.interval
                if !entry.isStuck, entry.time >= entry.limit {
                    entry.isStuck = true
                    found.append(entry.block)
                }
            }
            entries[port] = entry
        }
        return found
    }
}
