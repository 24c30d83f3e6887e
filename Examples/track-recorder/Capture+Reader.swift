// SPDX-License-Identifier: MIT
import RealtimeKit

extension Capture {
    /// The end of a ``Capture`` for the thread that may wait.
    struct Reader: ~Copyable {
        /// A class, because an array holds no noncopyable values. The audio thread never uses it.
        private final class Lane {
            var samples: SampleRing.Reader
            var blocks: EventQueue<CapturedBlock>.Reader
            /// The oldest block, once it was looked at. Its samples are still in the ring.
            var first: CapturedBlock?

            init(_ samples: consuming SampleRing.Reader, _ blocks: consuming EventQueue<CapturedBlock>.Reader) {
                self.samples = samples
                self.blocks = blocks
            }
        }

        private let owner: Capture
        private let lanes: [Lane]

        init(_ owner: Capture) {
            self.owner = owner
            lanes = (0..<owner.laneCount).map {
                Lane(owner.samples[$0].makeReader(), owner.blocks[$0].makeReader())
            }
        }

        /// The lane's oldest block, which stays in the ring; `nil` without one.
        mutating func first(lane: Int) -> CapturedBlock? {
            let lane = lanes[lane]
            if lane.first == nil { lane.first = lane.blocks.tryReceive() }
            return lane.first
        }

        /// Removes the lane's oldest block. The lane must have one.
        ///
        /// - Returns: the samples, interleaved, in all channels of the lane. Channels that the block does not have hold
        ///   old samples.
        mutating func take(lane: Int) -> [Float] {
            guard let block = first(lane: lane) else { preconditionFailure("no block") }
            var samples = [Float](repeating: 0, count: block.frameCount * owner.channelCount)
            var span = samples.mutableSpan
            // The span has room for exactly this block's frames.
            let count = lanes[lane].samples.read(into: &span)
            precondition(count == block.frameCount, "a block without its samples")
            lanes[lane].first = nil
            return samples
        }

        /// The report of the lane's last dropped frames, if no block has reported them yet. It has no frames itself.
        ///
        /// Call it only when this thread knows that the writer has ended.
        func rest(lane: Int) -> CapturedBlock? {
            precondition(lane >= 0 && lane < owner.laneCount, "no such lane")
            return unsafe owner.lanes[lane].pending
        }
    }
}
