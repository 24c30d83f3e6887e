// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

extension LivePort {
    /// Number of cycles in which the port ran.
    var cycleCount: UInt64 { memory.core.value.cycles.load(ordering: .relaxed) }
}
