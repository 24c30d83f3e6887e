// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

@testable import PipeBus

/// A sender or filter with blocks of a fixed size, without PipeWire: the real audio side, and cycles made by the test.
@safe final class BlockRig {
    enum Kind: CaseIterable { case sender, filter, inPlaceFilter }

    /// The sound of a sender's frame, by its position.
    static func sound(at position: UInt64, channel: Int) -> Float { Float(position % 100_003) + Float(channel) / 4 + 1 }

    /// What a filter of these tests makes of it, from a range of positions.
    static func negated(_ positions: Range<UInt64>, channel: Int = 0) -> [Float] {
        positions.map { -sound(at: $0, channel: channel) }
    }

    let kind: Kind
    let blockSize: Int
    let channels: Int
    let memory: PortMemory
    let bypass: BypassMemory
    var sampleRate = 48_000
    var clock: UInt32 = 1
    var position: UInt64 = 4096
    /// Time that passes on the monotonic clock, and not on the graph's.
    var extraNanoseconds: UInt64 = 0
    private let call: crt_call
    private let bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let buffers: UnsafeMutablePointer<Float>

    /// - Parameter gain: of a filter.
    init(_ kind: Kind, blockSize: Int, channels: Int = 1, fade: Fade = .none, gain: Float = -1) {
        self.kind = kind
        self.blockSize = blockSize
        self.channels = channels
        let log = Box()
        self.box = log
        let realtime: RealtimeCall
        switch kind {
        case .sender:
            let block: @Sendable (inout Void, AudioCycle, inout OutputChannels) -> Void = { _, cycle, output in
                log.add(cycle, output.frameCount)
                for channel in 0..<output.count {
                    output.fill(channel) { Self.sound(at: cycle.position + UInt64($0), channel: channel) }
                }
            }
            memory = try! PortMemory(
                state: (), block: block, blockInputCount: 0, outputCount: channels,
                blocks: BlockMemory(.sender(outputs: channels), blockSize: blockSize))
            realtime = .blockSender(SenderBlockHolder(block: block))
        case .filter:
            let block: @Sendable (inout Void, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void = {
                _, cycle, input, output in
                log.add(cycle, output.frameCount)
                for channel in 0..<output.count {
                    let from = input[channel]
                    var to = output[channel]
                    for frame in to.indices { to[frame] = gain * from[frame] }
                }
            }
            memory = try! PortMemory(
                state: (), block: block, blockInputCount: channels, outputCount: channels, inputFade: fade,
                blocks: BlockMemory(.filter(inputs: channels, outputs: channels), blockSize: blockSize, fade: fade))
            realtime = .blockFilter(FilterBlockHolder(block: block))
        case .inPlaceFilter:
            let block: @Sendable (inout Void, AudioCycle, inout OutputChannels) -> Void = { _, cycle, output in
                log.add(cycle, output.frameCount)
                for channel in 0..<output.count {
                    var samples = output[channel]
                    for frame in samples.indices { samples[frame] *= gain }
                }
            }
            memory = try! PortMemory(
                state: (), block: block, blockInputCount: channels, outputCount: channels, inputFade: fade,
                blocks: BlockMemory(.inPlaceFilter(channels: channels), blockSize: blockSize, fade: fade))
            realtime = .inPlaceBlockFilter(InPlaceFilterBlockHolder(block: block))
        }
        unsafe call = realtime.words(core: UnsafeMutableRawPointer(memory.core.pointer))
        bypass = BypassMemory(inputCount: channels, outputCount: channels, silence: memory.core.value.silence)
        memory.keep(bypass)
        unsafe bases = .allocate(capacity: 2 * channels)
        unsafe bases.initialize(repeating: nil, count: 2 * channels)
        unsafe buffers = .allocate(capacity: 2 * channels * AudioCycle.maximumFrameCount)
        unsafe buffers.initialize(repeating: 0, count: 2 * channels * AudioCycle.maximumFrameCount)
        memory.core.value.isLinked.store(true, ordering: .relaxed)
        publish()
    }

    deinit {
        unsafe bases.deallocate()
        unsafe buffers.deallocate()
    }

    /// The calls of the block.
    private final class Box: Sendable {
        let calls = Mutex<[AudioCycle]>([])

        func add(_ cycle: AudioCycle, _ frames: Int) {
            precondition(cycle.frameCount == frames)
            calls.withLock { $0.append(cycle) }
        }
    }
    private let box: Box

    /// The calls of the block since they were taken last.
    func takeCalls() -> [AudioCycle] {
        box.calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    /// The delay that is published.
    var delay: Int { memory.blocks?.addedFrames ?? -1 }

    func setBypassed(_ isBypassed: Bool) {
        bypass.set(isBypassed: isBypassed, latency: delay)
        publish()
    }

    func publish() {
        var status: PortStatus = .runs
        if !bypass.settle(runs: true) { status.insert(.isBypassing) }
        memory.core.value.status.store(status.rawValue, ordering: .releasing)
    }

    /// The port is connected again after a time.
    func reconnect() { memory.core.value.connectionEpoch.add(1, ordering: .relaxed) }

    /// The time of a position, in nanoseconds.
    func time(of position: UInt64) -> UInt64 {
        1_000_000_000_000 + position * 1_000_000_000 / UInt64(sampleRate) + extraNanoseconds
    }

    /// Runs one cycle.
    ///
    /// - Parameter sound: a filter's input, by position and channel.
    /// - Returns: the outputs.
    @discardableResult
    func run(
        _ frames: Int, isOvertaken: Bool = false,
        _ sound: (_ position: UInt64, _ channel: Int) -> Float = BlockRig.sound
    ) -> [[Float]] {
        let size = AudioCycle.maximumFrameCount
        for channel in 0..<channels {
            let (input, output) = unsafe (buffers + channel * size, buffers + (channels + channel) * size)
            for frame in 0..<frames {
                unsafe input[frame] = sound(position + UInt64(frame), channel)
                // As PipeWire's own buffers: they hold sound of an earlier cycle.
                unsafe output[frame] = 0.7
            }
            unsafe bases[channel] = unsafe input
            unsafe bases[channels + channel] = unsafe output
        }
        var cycle = unsafe crt_cycle(
            position: position, nanoseconds: time(of: position), frames: UInt32(frames), rate: UInt32(sampleRate),
            clock: clock, is_freewheeling: false, is_discontinuous: isOvertaken, inputs: bases,
            outputs: bases + channels)
        var call = unsafe call
        unsafe crt_run(&call, &cycle)
        position += UInt64(frames)
        return (0..<channels).map { channel in
            (0..<frames).map { unsafe bases[channels + channel]![$0] }
        }
    }
}
