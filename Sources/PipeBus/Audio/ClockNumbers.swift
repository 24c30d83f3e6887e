// SPDX-License-Identifier: MIT
import Synchronization

/// Numbers the clocks of a client, so that no clock has the number of an earlier one.
struct ClockNumbers: ~Copyable {
    private let last = Atomic<UInt32>(0)

    init() {}

    /// The number of a new clock.
    ///
    /// - Thread: any.
    /// - Realtime: safe. Called where a clock begins, not in every cycle.
    @_noLocks
    func next() -> UInt32 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
