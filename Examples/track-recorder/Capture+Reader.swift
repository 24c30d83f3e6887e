// SPDX-License-Identifier: MIT
import RealtimeKit

extension Capture {
    /// The end of a ``Capture`` for the thread that may wait.
    struct Reader: ~Copyable {
        /// A class, because an array holds no noncopyable values; it never meets the audio thread.
        private final class Lane {
            var samples: SampleRing.Reader
            var blocks: EventQueue<CapturedBlock>.Reader
            /// The oldest block, once somebody has looked at it. Its samples are in the ring still.
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

        /// The lane's oldest block, which stays; `nil` if there is none.
        mutating func first(lane: Int) -> CapturedBlock? {
            let lane = lanes[lane]
            if lane.first == nil { lane.first = lane.blocks.tryReceive() }
            return lane.first
        }

        /// Removes the lane's oldest block, which there must be.
        ///
        /// - Returns: its samples, interleaved in all channels of the lane. Channels that the block does not have hold old
        ///   samples.
        mutating func take(lane: Int) -> [Float] {
            guard let block = first(lane: lane) else { preconditionFailure("no block") }
            var samples = [Float](repeating: 0, count: block.frameCount * owner.channelCount)
            var span = samples.mutableSpan
            // The span has room for this block's frames and no more.
            let count = lanes[lane].samples.read(into: &span)
            precondition(count == block.frameCount, "a block without its samples")
            lanes[lane].first = nil
            return samples
        }

        /// Reports the lane's last frames that found no room, if no block has reported them since. It has no frames.
        ///
        /// Only when the writer is done for good, and this thread knows.
        func rest(lane: Int) -> CapturedBlock? {
            precondition(lane >= 0 && lane < owner.laneCount, "no such lane")
            return unsafe owner.lanes[lane].pending
        }
    }
}
