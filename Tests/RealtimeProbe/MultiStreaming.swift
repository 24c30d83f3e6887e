// SPDX-License-Identifier: MIT
import PipeBus

/// A multi-stream whose ends are all in one process block: integers, and floats of another rate; mixed, by themselves, idle.
@safe struct MultiStreaming: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it, and nothing else points to the memory.
    private var reference: MultiStreamInput
    private var other: MultiStreamInput
    private var output: MultiStreamOutput
    private let samples: UnsafeMutablePointer<Float>
    private let bytes: UnsafeMutablePointer<UInt8>
    private var cycles: UInt64 = 0

    init() throws {
        let streams = try MultiStream([
            StreamFormat(.int16, channelCount: 2, sampleRate: 48_000),
            StreamFormat(.float32, channelCount: 1, sampleRate: 44_100),
        ])
        let reference = try streams.makeInput(0)
        let other = try streams.makeInput(1)
        let output = try streams.makeOutput()
        self.init(reference, other, output)
    }

    private init(
        _ reference: consuming MultiStreamInput, _ other: consuming MultiStreamInput,
        _ output: consuming MultiStreamOutput
    ) {
        self.reference = reference
        self.other = other
        self.output = output
        unsafe samples = .allocate(capacity: 1024)
        unsafe samples.initialize(repeating: 0.25, count: 1024)
        unsafe bytes = .allocate(capacity: 4 * 256)
        unsafe bytes.initialize(repeating: 17, count: 4 * 256)
    }

    deinit {
        unsafe samples.deallocate()
        unsafe bytes.deallocate()
    }

    mutating func run() {
        // Of a time of its own, so that all of its states come.
        cycles &+= 1
        // Pauses of 40 ms too, and a thread that was late by as much.
        let pauses = cycles / 400 &+ (cycles % 400 == 200 ? 1 : 0)
        let time = MonotonicTime(nanoseconds: 1_000_000_000 &+ cycles &* 5_000_000 &+ pauses &* 40_000_000)
        if cycles % 1000 == 700 { reference.markIdle() }
        if cycles % 1000 < 700 {
            reference.write(unsafe Span(_unsafeStart: UnsafePointer(bytes), count: 4 * 240), madeAt: time)
        }
        if cycles % 1500 < 1000 {
            other.write(unsafe Span(_unsafeStart: UnsafePointer(samples), count: 220), madeAt: time)
        }
        var span = unsafe MutableSpan(_unsafeStart: samples, count: 2 * 256)
        if cycles % 7 == 0 {
            _ = output.read(into: &span, input: 1, at: time)
            output.endInterval()
        } else if output.availableFrames(at: time) > 400 {
            _ = output.discard(100, at: time)
        } else {
            _ = output.read(into: &span, at: time)
        }
    }
}
