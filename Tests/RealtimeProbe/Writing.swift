// SPDX-License-Identifier: MIT
import PipeBus

/// Writers of two senders, as a process block has them: integers at another rate, more than there is room for and then nothing, and
/// live floats at the pace of another clock, now and then too late.
@safe struct Writing: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it, and nothing else points to the memory.
    private var music: Writer
    private var live: Writer
    private let samples: UnsafeMutablePointer<Float>
    private let bytes: UnsafeMutablePointer<UInt8>
    private var cycles = 0

    init(music: consuming Writer, live: consuming Writer) {
        self.music = music
        self.live = live
        unsafe samples = .allocate(capacity: 8192)
        unsafe samples.initialize(repeating: 0.25, count: 8192)
        unsafe bytes = .allocate(capacity: 4 * 300)
        unsafe bytes.initialize(repeating: 17, count: 4 * 300)
    }

    deinit {
        unsafe samples.deallocate()
        unsafe bytes.deallocate()
    }

    mutating func run(_ cycle: AudioCycle) {
        cycles += 1
        if cycles % 64 < 32 {
            for _ in 0..<4 { _ = music.tryWrite(unsafe Span(_unsafeStart: UnsafePointer(bytes), count: 4 * 300)) }
        }
        if cycles % 16 != 3, music.statistics.underruns < UInt64.max {
            let span = unsafe Span(_unsafeStart: UnsafePointer(samples), count: cycle.frameCount)
            _ = live.tryWrite(span, madeAt: cycles % 32 == 7 ? MonotonicTime(nanoseconds: 1) : cycle.startTime)
        }
        if let time = music.nextTimestamp, time.position < 0 { cycles = 0 }
        if live.writableFrames < 0 || music.channelCount == 0 { cycles = 0 }
    }
}
