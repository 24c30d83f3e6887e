// SPDX-License-Identifier: MIT

/// The place of a graph cycle in the app's time.
struct GraphMoment: Sendable, Equatable {
    /// Position of the cycle's first frame, in frames. It never decreases.
    let position: UInt64
    /// The number of the clock that the position is on: the first is 1. No number comes back.
    let clock: UInt32

    @_noLocks
    @inline(__always)
    init(position: UInt64, clock: UInt32) {
        self.position = position
        self.clock = clock
    }
}
