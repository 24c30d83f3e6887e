// SPDX-License-Identifier: MIT
import PipeWireClient

/// The process block, as ``BlockWatch`` looks at it.
extension LivePort {
    var watched: BlockWatch.Port { BlockWatch.Port(cells: memory.cells, name: name, title: title) }

    /// The duration of a cycle; `nil` if it is unknown, or the driver freewheels.
    var countedCycle: Duration? { node.clockPosition != nil ? node.cycleSize?.duration : nil }

    /// The time after which the block counts as one that does not return.
    var blockLimit: Duration { RunningBlockDetector.limit(ofCycle: countedCycle) }

    /// Whether the block has not returned for that time.
    func isBlockStuck(at now: MonotonicTime) -> Bool {
        memory.cells.load.running(at: now).map { .nanoseconds(Int64(clamping: $0)) >= blockLimit } ?? false
    }
}
