// SPDX-License-Identifier: MIT

/// Sound on its way from the audio thread to a thread that may wait, on so many lanes, in blocks that say where they
/// belong. All memory is there from the start: what finds no room is dropped, and counted.
///
/// Take one ``Writer`` and one ``Reader`` from it.
@safe package final class Capture: @unchecked Sendable {
    // @unchecked: the pointer never changes, and what it leads to is made for two threads.
    fileprivate let lanes: UnsafeMutablePointer<CaptureLane>

    package let laneCount: Int
    /// Of each lane.
    package let channelCount: Int

    /// - Parameters:
    ///   - minimumCapacity: frames of each lane that the reader may be late by; rounded up to a power of two.
    ///   - blockCapacity: blocks of each lane, likewise.
    package init(laneCount: Int, channelCount: Int, minimumCapacity: Int, blockCapacity: Int) {
        precondition(laneCount > 0)
        self.laneCount = laneCount
        self.channelCount = channelCount
        unsafe lanes = .allocate(capacity: laneCount)
        for lane in 0..<laneCount {
            unsafe (lanes + lane).initialize(
                to: CaptureLane(
                    channelCount: channelCount, minimumCapacity: minimumCapacity, blockCapacity: blockCapacity))
        }
    }

    deinit {
        unsafe lanes.deinitialize(count: laneCount)
        unsafe lanes.deallocate()
    }

    /// The end that lives in a process block's state.
    ///
    /// - Thread: audio.
    @safe package struct Writer: ~Copyable, @unchecked Sendable {
        // @unchecked: a value that one thread has; what the references lead to is made for two. The owner is only kept
        // alive: a class in a struct is not touched on the audio thread.
        private let owner: Capture
        private let lanes: UnsafeMutablePointer<CaptureLane>
        private let laneCount: Int

        package init(_ owner: Capture) {
            self.owner = owner
            unsafe lanes = unsafe owner.lanes
            laneCount = owner.laneCount
        }

        /// Makes room for a block. If there is none, the next block of the lane tells so.
        ///
        /// After `true`, ``fill(lane:channel:with:)`` each of its channels and ``end(lane:)``.
        ///
        /// - Realtime: safe.
        @_noLocks
        package func begin(lane: Int, _ block: CapturedBlock) -> Bool {
            // Copied first: a precondition's condition is a closure, and would retain what it captures.
            let count = laneCount
            precondition(lane >= 0 && lane < count, "no such lane")
            return unsafe lanes[lane].begin(block)
        }

        /// - Parameter samples: as many as the block has frames.
        /// - Realtime: safe.
        @_noLocks
        package func fill(lane: Int, channel: Int, with samples: Span<Float>) {
            let count = laneCount
            precondition(lane >= 0 && lane < count, "no such lane")
            unsafe lanes[lane].fill(channel: channel, with: samples)
        }

        /// Hands the block over.
        ///
        /// - Realtime: safe.
        @_noLocks
        package func end(lane: Int) {
            let count = laneCount
            precondition(lane >= 0 && lane < count, "no such lane")
            unsafe lanes[lane].end()
        }
    }

    /// The end of the thread that may wait.
    package struct Reader: ~Copyable {
        private let owner: Capture

        package init(_ owner: Capture) { self.owner = owner }

        /// The lane's oldest block, which stays; `nil` if there is none.
        package func first(lane: Int) -> CapturedBlock? {
            precondition(lane >= 0 && lane < owner.laneCount, "no such lane")
            return unsafe owner.lanes[lane].blocks.first
        }

        /// Removes the lane's oldest block, which there must be, and gives its samples, interleaved in all channels of
        /// the lane. Those that the block does not have hold nothing of use.
        package func take(lane: Int) -> [Float] {
            precondition(lane >= 0 && lane < owner.laneCount, "no such lane")
            guard let block = unsafe owner.lanes[lane].blocks.first else { preconditionFailure("no block") }
            var samples = [Float](repeating: 0, count: block.frameCount * owner.channelCount)
            var span = samples.mutableSpan
            _ = unsafe owner.lanes[lane].samples.read(into: &span, maximum: block.frameCount)
            unsafe owner.lanes[lane].blocks.removeFirst()
            return samples
        }

        /// What the lane's last frames were that found no room, if no block could tell of it since. It has no frames.
        ///
        /// Only when the writer is done for good, and this thread knows.
        package func rest(lane: Int) -> CapturedBlock? {
            precondition(lane >= 0 && lane < owner.laneCount, "no such lane")
            return unsafe owner.lanes[lane].rest
        }
    }
}
