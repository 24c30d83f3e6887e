// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import XCTest

/// A ring of samples and a queue of events that describe them, from one thread to another.
final class RingAndQueueTests: XCTestCase {
    private struct Block: BitwiseCopyable, Sendable {
        var position: Int
        var frameCount: Int
    }

    func testAReaderOfTheEventFindsTheSamplesCommittedBeforeIt() {
        let ring = SampleRing(channelCount: 1, minimumCapacity: 64)
        let queue = EventQueue<Block>(minimumCapacity: 16)
        let total = 200_000
        let thread = Thread {
            var samples = ring.makeWriter()
            var blocks = queue.makeWriter()
            var next = 0
            while next < total {
                let count = min(1 + next % 13, total - next)
                guard blocks.writableEvents > 0, samples.writableFrames >= count else { continue }
                let frames = (next..<(next + count)).map(Float.init)
                samples.fill(channel: 0, with: frames.span)
                samples.commit(frameCount: count)
                let isSent = blocks.trySend(Block(position: next, frameCount: count))
                XCTAssertTrue(isSent, "there was room")
                next += count
            }
        }
        thread.start()
        var samples = ring.makeReader()
        var blocks = queue.makeReader()
        var next = 0
        let deadline = Date(timeIntervalSinceNow: 60)
        while next < total {
            guard Date() < deadline else { return XCTFail("only \(next) frames came") }
            guard let block = blocks.tryReceive() else { continue }
            var found = [Float](repeating: -1, count: block.frameCount)
            var span = found.mutableSpan
            XCTAssertEqual(samples.read(into: &span), block.frameCount)
            guard block.position == next, found == (next..<(next + block.frameCount)).map(Float.init) else {
                return XCTFail("\(found) instead of \(block.frameCount) frames from \(next) on")
            }
            next += block.frameCount
        }
    }
}
