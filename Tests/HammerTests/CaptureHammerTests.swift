// SPDX-License-Identifier: MIT
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBus

/// A receiver's audio thread, and threads that capture each source: captures come and go meanwhile.
final class CaptureHammerTests: HammerTestCase {
    func testEveryFrameOfEachSourceComesOrIsCounted() {
        let sound = CountingSound()
        let receiver = HammeredReceiver(lanes: 2, isSeparate: true, sound: sound)
        let pace = Pace()
        hammer(
            pace,
            {
                var random = SeededGenerator(seed: 1)
                for _ in 0..<Self.blockCount {
                    guard pace.wait(until: { pace.lead < 4096 }) else { break }
                    receiver.run(Int.random(in: 1...64, using: &random))
                    pace.written.store(receiver.position, ordering: .relaxed)
                }
                receiver.streams.finish()
            },
            {
                // Large enough for all, so the audio thread goes at its pace.
                Self.capture(receiver, sound, pace, capacity: 16_384, seed: 2) {
                    pace.read.store($0, ordering: .relaxed)
                }
                // A port that is closed takes no more captures.
                pace.end()
            },
            {
                // Too small for many blocks, so that they are dropped.
                Self.capture(receiver, sound, pace, capacity: 128, seed: 3) { _ in }
            },
            {
                // The control side.
                pace.repeatedly { receiver.publish() }
            })
    }

    /// Captures again and again, until the port is closed.
    private static func capture(
        _ receiver: HammeredReceiver, _ sound: CountingSound, _ pace: Pace, capacity: Int, seed: UInt64,
        _ note: (_ position: Int) -> Void
    ) {
        var random = SeededGenerator(seed: seed)
        while !pace.isOver {
            let memory = StreamMemory(
                laneCount: 2, width: 2, isSeparate: true, capacity: capacity, records: capacity)
            guard (try? receiver.streams.add(memory)) != nil else { return }
            let capture = Capture(memory, of: receiver.streams, port: nil)
            // What the last one did not read is gone.
            note(pace.written.load(ordering: .relaxed))
            var next = [-1, -1]
            for _ in 0..<Int.random(in: 500...5000, using: &random) {
                var found: CaptureBlock?
                let limit = Int.random(in: 1...100, using: &random)
                let hasMore = pace.wait {
                    found = capture.read(upTo: limit)
                    return found != nil || capture.isAtEnd
                }
                guard hasMore, let block = found else { break }
                let position = Int(block.timestamp.position)
                let expected = next[block.lane] + block.droppedFrames
                if next[block.lane] >= 0, block.frameCount > 0 {
                    guard position == expected, block.isContinuation == (block.droppedFrames == 0) else {
                        return pace.fail("lane \(block.lane): \(position) instead of \(expected)")
                    }
                }
                for channel in 0..<block.channelCount {
                    let isRight = unsafe Array(block[channel]).withUnsafeBufferPointer { samples in
                        unsafe samples.isEmpty
                            || sound.isEqual(
                                samples.baseAddress!, count: block.frameCount, from: position,
                                channel: 2 * block.lane + channel)
                    }
                    guard isRight else { return pace.fail("lane \(block.lane): another sound at \(position)") }
                }
                next[block.lane] = position + block.frameCount
                if block.lane == 1 { note(next[1]) }
            }
        }
    }
}
