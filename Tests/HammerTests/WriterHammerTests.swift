// SPDX-License-Identifier: MIT
import RealtimeKit
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBus

/// A thread that writes, and a sender's audio thread: writers end, and others take their place meanwhile.
final class WriterHammerTests: HammerTestCase {
    private static let format = StreamFormat(.float32, isInterleaved: false)
    private static let bufferSize = 1024

    /// The writer of an app, as ``Writer`` is, without a port.
    @safe private struct AppWriter: ~Copyable {
        let memory: WriterMemory
        private var input: WriterInput
        private var times: EventQueue<WriterStamp>.Writer
        private var played: TripleBuffer<PlayedMoment>.Reader
        private let isLive: Bool

        init?(_ table: WriterTable, liveLatency: Int?) {
            memory = WriterMemory(channelCount: 2, limit: WriterHammerTests.bufferSize, liveLatency: liveLatency)
            guard (try? table.put(memory)) != nil else { return nil }
            input = WriterInput(
                WriterHammerTests.format, memory: memory, graphRate: HammeredReceiver.sampleRate, ownClockLatency: nil)
            times = memory.times.makeWriter()
            played = memory.played
            isLive = liveLatency != nil
        }

        var room: Int { memory.ring.value.writableFrames }

        /// Writes a block for which there is room.
        mutating func write(_ count: Int, from place: Int, of sound: CountingSound) -> Bool {
            var block: [Float] = []
            for channel in 0..<2 {
                unsafe block += UnsafeBufferPointer(start: sound.samples(from: place, channel: channel), count: count)
            }
            if isLive {
                played.take()
                let time = MonotonicTime(nanoseconds: HammeredReceiver.time(of: place))
                _ = times.trySend(input.stamp(played.value, at: memory.ring.value.writePosition, time))
            }
            memory.ring.value.note(writing: count)
            let taken = unsafe block.withUnsafeBytes { unsafe input.write($0.baseAddress!, count, into: memory.ring) }
            return taken == count
        }
    }

    /// The audio thread: as many frames as are there, so that the sound never runs out.
    private static func frames(at table: WriterTable, _ random: inout SeededGenerator) -> Int {
        guard table.slot.value.ownership.acquireForCycle() else { return 0 }
        let available = table.slot.value.writer?.value.ring.value.readableFrames ?? 0
        table.slot.value.ownership.release()
        return min(available, Int.random(in: 1...64, using: &random))
    }

    func testEveryFrameIsHeardInOrder() {
        let (sound, table, pace) = (CountingSound(), WriterTable(), Pace())
        // Of each writer: the frames that it took, and those that were heard.
        let taken = Mutex<[Int]>([])
        let heard = Mutex<[Int]>([])
        hammer(
            pace,
            {
                var random = SeededGenerator(seed: 1)
                while !pace.isOver {
                    guard var writer = AppWriter(table, liveLatency: nil) else { return pace.fail("there is a writer") }
                    var place = 0
                    let count = Int.random(in: 100...3000, using: &random)
                    // Each begins with the sound's first frame, so none ends there.
                    while place < 64 * count || place % CountingSound.period == 0 {
                        let frames = Int.random(in: 1...64, using: &random)
                        guard pace.wait(until: { writer.room >= frames }) else { break }
                        guard writer.write(frames, from: place, of: sound) else { return pace.fail("no room") }
                        place += frames
                    }
                    writer.memory.ring.value.end()
                    taken.withLock { $0.append(place) }
                    // What is left of some is thrown away by the next one.
                    if taken.withLock({ $0.count % 2 == 1 }) {
                        _ = pace.wait { writer.memory.ring.value.isEmpty }
                    }
                }
            },
            {
                var random = SeededGenerator(seed: 2)
                let output = HammeredOutput()
                var (position, next) = (0, 0)
                var all: [Int] = []
                for _ in 0..<Self.blockCount {
                    var frames = 0
                    guard
                        pace.wait(until: {
                            frames = Self.frames(at: table, &random)
                            return frames > 0
                        })
                    else { break }
                    // So that a fade lasts one frame: the next sound begins where the one before decays.
                    output.run(frames, at: position, sampleRate: 200) { table.slot.value.run($0, &$1) }
                    position += frames
                    let first = unsafe output.channel(0).pointee
                    // A writer begins when enough is there.
                    if first == 0 { continue }
                    if all.isEmpty || CountingSound.place(of: first) != next % CountingSound.period {
                        guard first == 1 else { return pace.fail("\(first) instead of \(next + 1) or 1") }
                        all.append(0)
                        next = 0
                    }
                    for channel in 0..<2 {
                        let samples = unsafe output.channel(channel)
                        guard unsafe sound.isEqual(samples, count: frames, from: next, channel: channel) else {
                            return pace.fail("another sound at \(next)")
                        }
                    }
                    next += frames
                    all[all.count - 1] = next
                }
                heard.withLock { $0 = all }
                pace.end()
            })
        let (given, found) = (taken.withLock { $0 }, heard.withLock { $0 })
        XCTAssertGreaterThan(found.count, 10)
        for (index, (given, found)) in zip(given, found).dropLast().enumerated() {
            XCTAssertLessThanOrEqual(given - found, index % 2 == 0 ? 0 : Self.bufferSize)
            XCTAssertLessThanOrEqual(found, given)
        }
    }

    func testLiveFramesLeaveWhenTheyHaveTheirAge() {
        let (sound, table, pace) = (CountingSound(), WriterTable(), Pace())
        let latency = 512
        let heard = Atomic<Int>(0)
        // Odd while a writer takes the place of another one.
        let changes = Atomic<Int>(0)
        hammer(
            pace,
            {
                var random = SeededGenerator(seed: 1)
                while !pace.isOver {
                    changes.add(1, ordering: .sequentiallyConsistent)
                    let made = AppWriter(table, liveLatency: latency)
                    changes.add(1, ordering: .sequentiallyConsistent)
                    guard var writer = made else { return pace.fail("there is a writer") }
                    // The first frame is made a little after the graph's present one.
                    var place = pace.read.load(ordering: .relaxed) + 64
                    for _ in 0..<Int.random(in: 500...5000, using: &random) {
                        let frames = Int.random(in: 1...64, using: &random)
                        guard pace.wait(until: { writer.room >= frames }) else { break }
                        guard writer.write(frames, from: place, of: sound) else { return pace.fail("no room") }
                        place += frames
                        pace.written.store(place, ordering: .relaxed)
                    }
                    writer.memory.ring.value.end()
                }
            },
            {
                var random = SeededGenerator(seed: 2)
                let output = HammeredOutput()
                let fade = HammeredReceiver.sampleRate / 200
                var (position, seen, fadeEnd) = (0, 0, 0)
                for _ in 0..<Self.blockCount {
                    let frames = Int.random(in: 1...64, using: &random)
                    guard pace.wait(until: { pace.written.load(ordering: .relaxed) + latency > position + frames })
                    else { break }
                    output.run(frames, at: position) { table.slot.value.run($0, &$1) }
                    // Where a writer takes the place of another, the sound decays.
                    let change = changes.load(ordering: .sequentiallyConsistent)
                    if change != seen || change % 2 == 1 { fadeEnd = position + frames + fade }
                    seen = change
                    let first = unsafe output.channel(0).pointee
                    if first != 0 {
                        for channel in 0..<2 where position >= fadeEnd {
                            let samples = unsafe output.channel(channel)
                            guard
                                unsafe sound.isEqualOrSilent(
                                    samples, count: frames, from: position - latency, channel: channel)
                            else { return pace.fail("another sound at \(position): \(first)") }
                        }
                        heard.add(frames, ordering: .relaxed)
                    }
                    position += frames
                    pace.read.store(position, ordering: .relaxed)
                }
                pace.end()
            })
        XCTAssertGreaterThan(heard.load(ordering: .relaxed), 10 * pace.read.load(ordering: .relaxed) / 20)
    }
}
