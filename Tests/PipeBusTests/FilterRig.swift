// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

@testable import PipeBus

/// A filter without PipeWire: the real audio side, and cycles made by the test.
///
/// Its block inverts its input and delays it by a latency. At a discontinuity it starts again, with silence at first.
@safe final class FilterRig {
    struct State: Sendable {
        var latency: Int
        var lines: [[Float]]
    }

    let memory: PortMemory
    let bypass: BypassMemory
    /// Whether ``tap`` is beside the input.
    var isTapping = false
    lazy var tap = InputTapMemory(
        channelCount: inputCount, fade: memory.inputFade, silence: memory.core.value.silence)
    let inputCount: Int
    let outputCount: Int
    var sampleRate = 48_000
    private(set) var latency: Int
    private(set) var position: UInt64 = 0
    private let call: crt_call
    private let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let buffers: UnsafeMutablePointer<Float>
    private let tapOutputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let tapBuffers: UnsafeMutablePointer<Float>

    /// The record of the block's last call.
    final class Log: Sendable {
        let cycle = Mutex<AudioCycle?>(nil)
        let latency: Mutex<Int>

        init(latency: Int) { self.latency = Mutex(latency) }
    }
    let log: Log

    init(inputs inputCount: Int = 1, outputs outputCount: Int = 1, latency: Int = 0, fade: Fade = .none) {
        self.inputCount = inputCount
        self.outputCount = outputCount
        self.latency = latency
        let log = Log(latency: latency)
        self.log = log
        let block: @Sendable (inout State, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void = {
            state, cycle, input, output in
            log.cycle.withLock { $0 = cycle }
            let latency = log.latency.withLock { $0 }
            if cycle.isDiscontinuous || latency != state.latency {
                state.latency = latency
                state.lines = state.lines.map { _ in Array(repeating: 0, count: latency) }
            }
            for channel in 0..<output.count {
                var to = output[channel]
                let from = input[min(channel, input.count - 1)]
                state.lines[channel] += from.indices.map { -from[$0] }
                for frame in to.indices { to[frame] = state.lines[channel][frame] }
                state.lines[channel].removeFirst(to.count)
            }
        }
        let state = State(
            latency: latency, lines: Array(repeating: Array(repeating: 0, count: latency), count: outputCount))
        memory = try! PortMemory(
            state: state, block: block, blockInputCount: inputCount, outputCount: outputCount, inputFade: fade)
        let realtime = RealtimeCall.filter(FilterBlockHolder(block: block), fades: fade != .none)
        unsafe call = realtime.words(core: UnsafeMutableRawPointer(memory.core.pointer))
        bypass = BypassMemory(
            inputCount: inputCount, outputCount: outputCount, silence: memory.core.value.silence)
        memory.keep(bypass)
        let count = inputCount + outputCount
        unsafe inputs = .allocate(capacity: inputCount)
        unsafe inputs.initialize(repeating: nil, count: inputCount)
        unsafe outputs = .allocate(capacity: outputCount)
        unsafe outputs.initialize(repeating: nil, count: outputCount)
        unsafe buffers = .allocate(capacity: count * AudioCycle.maximumFrameCount)
        unsafe buffers.initialize(repeating: 0, count: count * AudioCycle.maximumFrameCount)
        unsafe tapOutputs = .allocate(capacity: inputCount)
        unsafe tapOutputs.initialize(repeating: nil, count: inputCount)
        unsafe tapBuffers = .allocate(capacity: inputCount * AudioCycle.maximumFrameCount)
        unsafe tapBuffers.initialize(repeating: 0, count: inputCount * AudioCycle.maximumFrameCount)
        memory.core.value.isLinked.store(true, ordering: .relaxed)
        publish()
    }

    deinit {
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
        unsafe buffers.deallocate()
        unsafe tapOutputs.deallocate()
        unsafe tapBuffers.deallocate()
    }

    // MARK: Control side

    func setBypassed(_ isBypassed: Bool) {
        bypass.set(isBypassed: isBypassed, latency: latency)
        publish()
    }

    /// The block is late by that from its next call on, and so is what is passed on.
    func setLatency(_ latency: Int) {
        self.latency = latency
        log.latency.withLock { $0 = latency }
        bypass.set(isBypassed: bypass.isBypassed, latency: latency)
        publish()
    }

    /// Declares a latency while the block keeps its own: the bypass delays by the declared one. As `BusClient` does it.
    func declareLatency(_ latency: Int) {
        self.latency = latency
        if bypass.isBypassed || !bypass.isIdle { setBypassed(bypass.isBypassed) }
    }

    func publish(runs: Bool = true) {
        var status: PortStatus = runs ? .runs : []
        if !bypass.settle(runs: runs) { status.insert(.isBypassing) }
        if isTapping { status.insert(.isTapping) }
        memory.core.value.status.store(status.rawValue, ordering: .releasing)
    }

    /// Begins an exchange of sources.
    func beginTapping() {
        memory.keep(tap)
        tap.begin()
        isTapping = true
        publish()
    }

    func endTapping() {
        isTapping = false
        publish()
    }

    /// Publishes a status that the audio thread might have read a moment ago.
    func publishStale(_ status: PortStatus) {
        memory.core.value.status.store(status.rawValue, ordering: .releasing)
    }

    /// Nothing but the block is left to the audio thread.
    var isPlain: Bool { memory.core.value.loadStatus().isPlain }

    /// Whether a source is linked, as the control side knows it.
    func setLinked(_ isLinked: Bool) {
        memory.core.value.isLinked.store(isLinked, ordering: .releasing)
    }

    /// Simulates a port that is connected again.
    func reconnect() { memory.core.value.connectionEpoch.add(1, ordering: .relaxed) }

    // MARK: Audio side

    /// Runs a cycle of the tap, before that of the filter.
    func runTap(_ frames: Int, _ samples: (_ channel: Int) -> [Float]?) {
        let size = AudioCycle.maximumFrameCount
        for channel in 0..<inputCount {
            guard let block = samples(channel) else {
                unsafe inputs[channel] = nil
                continue
            }
            let buffer = unsafe buffers + channel * size
            for frame in 0..<frames { unsafe buffer[frame] = block[frame] }
            unsafe inputs[channel] = unsafe buffer
        }
        // What it gives is silent.
        for channel in 0..<inputCount { unsafe tapOutputs[channel] = unsafe tapBuffers + channel * size }
        for sample in 0..<inputCount * size { unsafe tapBuffers[sample] = 0.7 }
        var cycle = unsafe makeCycle(frames, tapOutputs)
        var call = unsafe tap.call.words(core: UnsafeMutableRawPointer(tap.core.pointer))
        unsafe crt_run(&call, &cycle)
        for channel in 0..<inputCount {
            for frame in 0..<frames { precondition(unsafe tapBuffers[channel * size + frame] == 0) }
        }
    }

    private func makeCycle(
        _ frames: Int, _ outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    ) -> crt_cycle {
        unsafe crt_cycle(
            position: position, nanoseconds: 1_000_000_000_000 + position * 1_000_000_000 / UInt64(sampleRate),
            frames: UInt32(frames), rate: UInt32(sampleRate), clock: 1, is_freewheeling: false,
            is_discontinuous: isOvertaken, inputs: inputs, outputs: outputs)
    }

    /// The clock goes on without the port.
    func miss(_ frames: Int) { position += UInt64(frames) }

    /// Whether the next cycles begin late, as after a block that took too long.
    var isOvertaken = false

    /// Runs one cycle.
    ///
    /// - Parameter samples: what comes on a channel; `nil` where PipeWire gives no buffer.
    /// - Returns: the outputs, and the block's record, if it was called.
    func run(_ frames: Int, _ samples: (_ channel: Int) -> [Float]?) -> (outputs: [[Float]], seen: AudioCycle?) {
        let size = AudioCycle.maximumFrameCount
        for channel in 0..<inputCount {
            guard let block = samples(channel) else {
                unsafe inputs[channel] = nil
                continue
            }
            precondition(block.count == frames)
            let buffer = unsafe buffers + channel * size
            for frame in 0..<frames { unsafe buffer[frame] = block[frame] }
            unsafe inputs[channel] = unsafe buffer
        }
        for channel in 0..<outputCount {
            let buffer = unsafe buffers + (inputCount + channel) * size
            // As PipeWire's own buffers: they hold sound of an earlier cycle.
            for frame in 0..<frames { unsafe buffer[frame] = 0.7 }
            unsafe outputs[channel] = unsafe buffer
        }
        var cycle = unsafe makeCycle(frames, outputs)
        log.cycle.withLock { $0 = nil }
        var call = unsafe call
        unsafe crt_run(&call, &cycle)
        position += UInt64(frames)
        let given = (0..<outputCount).map { channel in
            (0..<frames).map { unsafe outputs[channel]![$0] }
        }
        return (given, log.cycle.withLock { $0 })
    }
}
