// SPDX-License-Identifier: MIT
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBus

/// Three inputs of a multi-stream on a thread each, and one that reads: inputs pause, and end, and levels change meanwhile.
final class MultiStreamHammerTests: HammerTestCase {
    /// The reference comes out frame by frame; the others rise with the time.
    func testAllInputsComeOutInStep() throws {
        let (sound, pace) = (CountingSound(), Pace())
        let format = StreamFormat(.float32, channelCount: 1, sampleRate: 48_000)
        let streams = try MultiStream([format, format, format], channelCount: 1, capacity: 1 << 14)
        hammer(
            pace,
            {
                guard var input = try? streams.makeInput(0) else { return pace.fail("no input") }
                var random = SeededGenerator(seed: 1)
                var place = 0
                for _ in 0..<Self.blockCount {
                    let frames = Int.random(in: 1...64, using: &random)
                    guard pace.wait(until: { place + frames - pace.read.load(ordering: .relaxed) < 8192 }) else {
                        break
                    }
                    let samples = unsafe UnsafeBufferPointer(
                        start: sound.samples(from: place, channel: 0), count: frames)
                    input.write(unsafe Array(samples).span, madeAt: Self.time(place))
                    place += frames
                    pace.written.store(place, ordering: .relaxed)
                }
                if input.droppedFrames > 0 { pace.fail("the reference was dropped") }
                // The reader takes what is left.
                _ = pace.wait { pace.lead == 0 }
                pace.end()
            },
            {
                // It pauses now and then.
                Self.write(1, of: streams, pace, seed: 2, blocks: .max)
            },
            {
                // It ends in the middle.
                Self.write(2, of: streams, pace, seed: 3, blocks: Self.blockCount / 2)
            },
            {
                var random = SeededGenerator(seed: 4)
                pace.repeatedly { streams.setLevel(volume: Double.random(in: 0...1, using: &random), of: 1) }
            },
            { Self.read(streams, sound, pace) })
        XCTAssertEqual(pace.lead, 0, "every frame of the reference was read")
    }

    private static func time(_ place: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: HammeredReceiver.time(of: place))
    }

    /// Writes a slope that follows the time, and keeps up with the reference.
    private static func write(_ index: Int, of streams: MultiStream, _ pace: Pace, seed: UInt64, blocks: Int) {
        guard var input = try? streams.makeInput(index) else { return pace.fail("no input") }
        var random = SeededGenerator(seed: seed)
        var place = 0
        var count = 0
        while count < blocks {
            count += 1
            if count % 5000 == 0 {
                input.markIdle()
                let resume = place + 10_000
                guard pace.wait(until: { pace.read.load(ordering: .relaxed) > resume }) else { return }
                place = pace.read.load(ordering: .relaxed) + 64
            }
            let frames = Int.random(in: 1...64, using: &random)
            guard pace.wait(until: { place + frames - pace.read.load(ordering: .relaxed) < 8192 }) else { return }
            let samples = (place..<(place + frames)).map { Self.slope(Double($0)) }
            input.write(samples.span, madeAt: Self.time(place))
            place += frames
        }
    }

    private static func slope(_ place: Double) -> Float { Float(place / Double(1 << 24)) }

    private static func read(_ streams: MultiStream, _ sound: CountingSound, _ pace: Pace) {
        guard var output = try? streams.makeOutput() else { return pace.fail("no output") }
        var random = SeededGenerator(seed: 5)
        var place = 0
        // Before its first write an input is silent, and nothing waits for it: that of the reference must come first here.
        guard pace.wait(until: { pace.written.load(ordering: .relaxed) > 0 }) else { return }
        while !pace.isOver {
            // All is there of the same time, in each lane by itself or in the mix.
            let now = Self.time(pace.written.load(ordering: .relaxed))
            let count = Int.random(in: 1...256, using: &random)
            guard output.availableFrames(at: now) > 0 else { continue }
            var found = 0
            for input in 0..<3 {
                var samples = [Float](repeating: 0, count: count)
                var span = samples.mutableSpan
                let result = output.read(into: &span, input: input, at: now)
                if input == 0 { found = result.frameCount }
                guard result.frameCount == found else { return pace.fail("\(result.frameCount) of \(found) frames") }
                let isRight = unsafe samples.withUnsafeBufferPointer { samples in
                    let base = samples.baseAddress!
                    if input == 0 { return unsafe sound.isEqual(base, count: found, from: place, channel: 0) }
                    // Silence, or a sound that is where it belongs to a twentieth of a second.
                    return (0..<found).allSatisfy { frame in
                        let sample = unsafe base[frame]
                        return sample <= Self.slope(Double(place + frame + 2400)) && sample > -0.01
                    }
                }
                // The reference's end is idle once it is released: then there is silence.
                if pace.isOver { return }
                guard isRight else { return pace.fail("input \(input): another sound at \(place)") }
            }
            output.endInterval()
            place += found
            // The mix follows on at the same place. Of that only the length is known.
            if place % 7 == 0 {
                var mixed = [Float](repeating: 0, count: count)
                var span = mixed.mutableSpan
                place += output.read(into: &span, at: now).frameCount
            }
            pace.read.store(place, ordering: .relaxed)
        }
    }
}
