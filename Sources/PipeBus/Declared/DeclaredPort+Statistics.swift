// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

extension DeclaredPort {
    /// The counts of all sessions together.
    var statistics: PortStatistics {
        let core = memory.core
        return PortStatistics(
            cycles: core.value.cycles.load(ordering: .relaxed),
            frames: core.value.frames.load(ordering: .relaxed),
            missedFrames: core.value.missedFrames.load(ordering: .relaxed),
            gaps: core.value.xrunCount.load(ordering: .relaxed),
            realignments: memory.receiver?.realignments ?? 0, invalidBlocks: memory.receiver?.invalidBlocks ?? 0)
    }
}
