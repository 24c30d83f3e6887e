// SPDX-License-Identifier: MIT
import PipeWireClient

/// The process block, as ``BlockWatch`` looks at it.
extension LivePort {
    var watched: BlockWatch.Port { BlockWatch.Port(cells: memory.cells, name: name, title: title) }

    /// The duration of a cycle; `nil` if it is unknown, or the driver freewheels.
    var countedCycle: Duration? { node.clockPosition != nil ? node.cycleSize?.duration : nil }

    /// The time after which the block counts as one that does not return.
    var blockLimit: Duration { RunningBlockDetector.limit(ofCycle: countedCycle) }
}
