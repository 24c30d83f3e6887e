// SPDX-License-Identifier: MIT

extension Capture {
    /// The end of a ``Capture`` for a process block's state.
    ///
    /// - Thread: audio.
    /// - Realtime: safe.
    @safe struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: one thread uses it, and the lanes belong to it. The owner is only kept alive: a class in a struct
        // is not touched on the audio thread.
        private let owner: Capture
        private let lanes: UnsafeMutablePointer<CaptureLane>
        private let laneCount: Int

        init(_ owner: Capture) {
            self.owner = owner
            unsafe lanes = unsafe owner.lanes
            laneCount = owner.laneCount
        }

        /// Reserves room for a block. Without room the block is dropped, and the lane's next block reports it.
        ///
        /// After `true`, call ``fill(lane:channel:with:)`` for each of its channels, then ``end(lane:)``.
        @_noLocks
        mutating func begin(lane: Int, _ block: CapturedBlock) -> Bool {
            // Copied first, because a precondition's condition is a closure and would retain its captures.
            let count = laneCount
            precondition(lane >= 0 && lane < count, "no such lane")
            return unsafe lanes[lane].begin(block)
        }

        /// - Parameter samples: as many as the block has frames.
        @_noLocks
        mutating func fill(lane: Int, channel: Int, with samples: Span<Float>) {
            let count = laneCount
            precondition(lane >= 0 && lane < count, "no such lane")
            unsafe lanes[lane].fill(channel: channel, with: samples)
        }

        /// Hands the block over.
        @_noLocks
        mutating func end(lane: Int) {
            let count = laneCount
            precondition(lane >= 0 && lane < count, "no such lane")
            unsafe lanes[lane].end()
        }
    }
}
