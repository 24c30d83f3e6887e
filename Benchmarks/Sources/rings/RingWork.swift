// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkRings
import RealtimeKit

/// Rings of equal size, and one block that goes through all of them.
@safe struct RingWork {
    private let frames: Int
    private let count: Int
    private let from: UnsafeMutablePointer<Float>
    private let to: UnsafeMutablePointer<Float>
    // Behind addresses, as a process block's state is: a captured variable is checked for exclusive access.
    private let writer: UnsafeMutablePointer<SampleRing.Writer>
    private let reader: UnsafeMutablePointer<SampleRing.Reader>
    private let jack: OpaquePointer
    private let spa: OpaquePointer
    /// Blocks that begin here go over the end of the memory once in a round.
    private static let offset = 13

    init(channels: Int, capacity: Int, frames: Int) {
        self.frames = frames
        count = channels * frames
        unsafe from = .allocate(capacity: count)
        unsafe to = .allocate(capacity: count)
        let ring = SampleRing(channelCount: channels, minimumCapacity: capacity)
        unsafe writer = .allocate(capacity: 1)
        unsafe writer.initialize(to: ring.makeWriter())
        unsafe reader = .allocate(capacity: 1)
        unsafe reader.initialize(to: ring.makeReader())
        let bytes = channels * capacity * MemoryLayout<Float>.stride
        unsafe jack = jack_ring_create(bytes)
        unsafe spa = spa_ring_create(bytes)
        for sample in 0..<count { unsafe from[sample] = Float(sample) }
        check(Self.offset * channels)
    }

    var contenders: [Contender] {
        [
            Contender("SampleRing") { passOurs(count, $0) },
            Contender("jack_ringbuffer") { passJack(count, $0) },
            Contender("spa_ringbuffer") { passSPA(count, $0) },
        ]
    }

    /// Ends the program if one of the rings gives other samples than it took.
    private func check(_ samples: Int) {
        for (name, pass) in [("ours", passOurs), ("libjack's", passJack), ("SPA's", passSPA)] {
            unsafe to.initialize(repeating: -1, count: count)
            pass(min(samples, count), 1)
            for sample in 0..<min(samples, count) where unsafe to[sample] != from[sample] {
                fail("rings: \(name) gives other samples than it took", status: 1)
            }
        }
    }

    private func passOurs(_ samples: Int, _ times: Int) {
        for _ in 0..<times {
            let block = unsafe Span(_unsafeStart: from, count: samples)
            guard unsafe writer.pointee.tryWrite(block) else { fail("rings: no room", status: 1) }
            var place = unsafe MutableSpan(_unsafeStart: to, count: samples)
            _ = unsafe reader.pointee.read(into: &place)
        }
    }

    private func passJack(_ samples: Int, _ times: Int) {
        unsafe jack_ring_pass(jack, from, to, samples * MemoryLayout<Float>.stride, times)
    }

    private func passSPA(_ samples: Int, _ times: Int) {
        unsafe spa_ring_pass(spa, from, to, samples * MemoryLayout<Float>.stride, times)
    }
}
