// SPDX-License-Identifier: MIT
import RealtimeKit
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBus

/// A receiver's audio thread, and a thread that reads its mix in blocks of its own: readers come and go meanwhile.
final class ReaderHammerTests: HammerTestCase {
    func testEveryFrameIsAtItsPlaceOrSilent() {
        let sound = CountingSound()
        let receiver = HammeredReceiver(sound: sound)
        let pace = Pace()
        let heard = Atomic<Int>(0)
        let silent = Atomic<Int>(0)
        hammer(
            pace,
            {
                var random = SeededGenerator(seed: 1)
                for _ in 0..<Self.blockCount {
                    guard pace.wait(until: { pace.lead < 2048 }) else { break }
                    receiver.run(Int.random(in: 1...64, using: &random))
                    pace.written.store(receiver.position, ordering: .relaxed)
                }
                pace.end()
            },
            {
                var random = SeededGenerator(seed: 2)
                var samples = [Float](repeating: 0, count: 2 * 256)
                while !pace.isOver {
                    guard let stream = Self.stream(of: receiver) else { return pace.fail("there is no room") }
                    let memory = ReaderMemory(
                        stream, of: receiver.streams, port: receiver.memory.cells, fade: .none, declaredBlock: 256)
                    var output = ReaderOutput(
                        StreamFormat(.float32, isInterleaved: false), memory: memory,
                        graphRate: HammeredReceiver.sampleRate, hasOwnClock: false)
                    pace.read.store(pace.written.load(ordering: .relaxed), ordering: .relaxed)
                    for _ in 0..<Int.random(in: 500...5000, using: &random) {
                        guard pace.wait(until: { pace.lead > 512 }) else { break }
                        let count = Int.random(in: 1...256, using: &random)
                        guard let result = Self.read(count, &samples, &output, memory, sound) else {
                            return pace.fail("a frame is not at its place")
                        }
                        heard.add(result.hasSound ? count : 0, ordering: .relaxed)
                        silent.add(result.hasSound ? 0 : count, ordering: .relaxed)
                        pace.read.add(count, ordering: .relaxed)
                    }
                }
            },
            {
                // The control side.
                pace.repeatedly { receiver.publish() }
            })
        XCTAssertGreaterThan(heard.load(ordering: .relaxed), 10 * silent.load(ordering: .relaxed))
    }

    private static func stream(of receiver: HammeredReceiver) -> StreamMemory? {
        let stream = StreamMemory(laneCount: 1, width: 2, isSeparate: false, capacity: 1 << 14, records: 1 << 13)
        return (try? receiver.streams.add(stream)).map { stream }
    }

    /// - Returns: `nil` if a sample is not that of its place, and not silent.
    private static func read(
        _ count: Int, _ samples: inout [Float], _ output: inout ReaderOutput, _ memory: ReaderMemory,
        _ sound: CountingSound
    ) -> ReadResult? {
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            let base = samples.baseAddress!
            let result = unsafe output.read(
                count, lane: 0, of: memory.core, into: UnsafeMutableRawPointer(base), at: .now)
            output.endInterval(of: memory.core)
            for channel in 0..<2 {
                guard
                    unsafe sound.isEqualOrSilent(
                        base + channel * count, count: count, from: Int(result.timestamp.position), channel: channel)
                else { return nil }
            }
            return result
        }
    }
}
