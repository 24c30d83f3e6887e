// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

extension LivePort {
    /// Number of cycles in which the port ran.
    var cycleCount: UInt64 { memory.core.value.cycles.load(ordering: .relaxed) }

    var statistics: PortStatistics {
        let core = memory.core
        return PortStatistics(
            cycles: core.value.cycles.load(ordering: .relaxed),
            frames: core.value.frames.load(ordering: .relaxed),
            missedFrames: core.value.missedFrames.load(ordering: .relaxed),
            gaps: core.value.gaps.load(ordering: .relaxed),
            realignments: memory.receiver?.realignments ?? 0, invalidBlocks: memory.receiver?.invalidBlocks ?? 0)
    }
}
