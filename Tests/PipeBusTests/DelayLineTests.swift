// SPDX-License-Identifier: MIT
import RealtimeKit
import SeededRandom
import XCTest

@testable import PipeBus

/// The delay line by itself, against an array that holds everything.
final class DelayLineTests: XCTestCase {
    func testWhatGoesInComesOutSoManyFramesLater() {
        var generator = SeededGenerator(seed: 4)
        let storage = DelayStorage(frames: 1_000 + 300, channels: 2)
        XCTAssertEqual(storage.memory.length, 2_048)
        var line = DelayLine(storage.memory)
        let samples = OwnedCells(repeating: Float(0), count: 3 * AudioCycle.maximumFrameCount)
        let pool = BlockPool(samples.cells)
        var past: [[Float]] = [[], []]
        var origin = 0
        for round in 0..<400 {
            let frames = Int.random(in: 1...300, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                let silence = pool.block(2, frames)
                silence.clear()
                line.skip(silence, channels: 2)
                for channel in 0..<2 { past[channel] += Array(repeating: 0, count: frames) }
            case 1:
                line.forget()
                origin = past[0].count
            default:
                let delay = Int.random(in: 0...1_000, using: &generator)
                let (block, due) = (pool.block(0, frames), pool.block(1, frames))
                for channel in 0..<2 {
                    for frame in 0..<frames {
                        let sample = Float.random(in: -1...1, using: &generator)
                        past[channel].append(sample)
                        samples.cells[frame] = sample
                    }
                    if round % 3 == 0 { line.storeUncached(block, channel) } else { line.write(block, channel) }
                    line.read(into: due, channel, delay: delay, origin: line.origin)
                    let end = past[channel].count
                    for frame in 0..<frames {
                        let place = end - frames + frame - delay
                        let expected = place < origin ? 0 : past[channel][place]
                        guard samples.cells[AudioCycle.maximumFrameCount + frame] == expected else {
                            return XCTFail("frame \(frame) of round \(round), \(delay) frames late")
                        }
                    }
                }
                line.advance(by: frames)
            }
            XCTAssertEqual(line.written, past[0].count)
        }
    }

    func testWithoutMemoryItKeepsNothing() {
        var line = DelayLine()
        let samples = OwnedCells(repeating: Float(1), count: AudioCycle.maximumFrameCount)
        let block = BlockPool(samples.cells).block(0, 64)
        line.write(block, 0)
        line.read(into: block, 0, delay: 0, origin: 0)
        line.advance(by: 64)
        XCTAssertEqual(line.written, 64)
        XCTAssertEqual(block.last, 1, "left alone")
    }
}
