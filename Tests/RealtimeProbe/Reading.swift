// SPDX-License-Identifier: MIT
import PipeBus

/// Readers of two receivers, as a process block has them that runs in blocks of its own: floats of the mix at the graph's rate, and
/// integers of each lane at another rate.
@safe struct Reading: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it, and nothing else points to the memory.
    private var mix: Reader
    private var tracks: Reader
    private let samples: UnsafeMutablePointer<Float>
    private let bytes: UnsafeMutablePointer<UInt8>
    private static var blockSize: Int { 300 }

    init(mix: consuming Reader, tracks: consuming Reader) {
        self.mix = mix
        self.tracks = tracks
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
