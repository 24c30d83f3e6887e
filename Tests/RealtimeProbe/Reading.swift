// SPDX-License-Identifier: MIT
import PipeBus

/// Readers of two receivers, as a process block has them that runs in blocks of its own: floats of the mix at the graph's rate,
/// integers of each lane at another rate, and of the mix at the pace of another clock, into the reader's own memory.
@safe struct Reading: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it, and nothing else points to the memory.
    private var mix: Reader
    private var tracks: Reader
    private var clocked: Reader
    private var level: UInt64 = 0
    private let samples: UnsafeMutablePointer<Float>
    private let bytes: UnsafeMutablePointer<UInt8>
    private static var blockSize: Int { 300 }

    init(mix: consuming Reader, tracks: consuming Reader, clocked: consuming Reader) {
        self.mix = mix
        self.tracks = tracks
        self.clocked = clocked
        unsafe samples = .allocate(capacity: 2 * Self.blockSize)
        unsafe samples.initialize(repeating: 0, count: 2 * Self.blockSize)
        unsafe bytes = .allocate(capacity: 4 * Self.blockSize)
        unsafe bytes.initialize(repeating: 0, count: 4 * Self.blockSize)
    }

    deinit {
        unsafe samples.deallocate()
        unsafe bytes.deallocate()
    }

    /// Reads less than a cycle, and more.
    mutating func run(_ cycle: AudioCycle) {
        var span = unsafe MutableSpan(_unsafeStart: samples, count: 2 * 300)
        let result = mix.read(into: &span)
        if result.lateFrames > 0 || mix.statistics.discardedFrames > 0 { _ = mix.discard(cycle.frameCount) }
        let block = clocked.read(250, at: cycle.startTime)
        if block.result.hasSound { level &+= UInt64(block.bytes[0]) &+ UInt64(block.channelCount) }
        if clocked.isLocked && level == .max { _ = clocked.discard(1) }
        for _ in 0..<2 {
            var lane = 0
            while lane < 4 {
                var span = unsafe MutableSpan(_unsafeStart: bytes, count: 4 * 300)
                if lane != 2 { _ = tracks.read(into: &span, lane: lane, at: cycle.startTime) }
                lane += 1
            }
            tracks.endInterval()
        }
    }
}
