// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

extension LivePort {
    /// Number of cycles in which the port ran.
    var cycleCount: UInt64 { memory.core.value.cycles.load(ordering: .relaxed) }
    /// Number of frames that the port has processed.
    var frameCount: UInt64 { memory.core.value.frames.load(ordering: .relaxed) }
}
