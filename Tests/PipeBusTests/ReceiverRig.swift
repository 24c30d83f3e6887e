// SPDX-License-Identifier: MIT
import CRealtime
import ConnectionGraph
import RealtimeKit
import Synchronization

@testable import PipeBus

/// A receiver without PipeWire: the real control side, the real audio side, and cycles that the test makes. It is called
/// as PipeWire's thread would call it.
@safe final class ReceiverRig {
    /// The block's view of one lane.
    struct Heard {
        var source: ReceivedSource
        var channels: [[Float]]
    }

    /// The block's view of one cycle.
    struct Seen {
        var cycle: AudioCycle
        var mix: [[Float]] = []
        var mixTimestamp: Timestamp?
        /// The meter of the mix.
        var meter: LevelMeter?
        var lanes: [Int: Heard] = [:]
    }

    private(set) var control: ReceiverControl
    let memory: PortMemory
    let width: Int
    let laneCount: Int
    private(set) var sampleRate: Int
    /// The id of the driver's clock, and the time of its position 0.
    private var clock: UInt32 = 1
    private var origin: UInt64 = 1_000_000_000_000
    private(set) var position: UInt64 = 0
    private let makeControl: (_ sourceCounts: [UInt64]) -> ReceiverControl
    private let call: crt_call
    private var facts: [UInt64: GraphReducer.SourceFacts] = [:]
    private var latencies: [Int: ClosedRange<Int>] = [:]
    private var occupations: [Int: LaneTable.LinkSummary] = [:]
    private let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    private let buffers: UnsafeMutablePointer<Float>
    var saved = SourceLevels()

    private final class Keeper: Sendable {
        let seen = Mutex<Seen?>(nil)
    }
    private let keeper = Keeper()

    init(
        lanes: Int = 2, width: Int = 2, isSeparate: Bool = false, alignment: Alignment = .synchronized,
        fade: Fade = .standard, panLaw: PanLaw = .constantPower, sampleRate: Int = 48_000
    ) {
        self.width = width
        self.sampleRate = sampleRate
        laneCount = lanes
        let keeper = keeper
        let mixed: @Sendable (inout Int, AudioCycle, borrowing ReceivedMix) -> Void = { _, cycle, mix in
            var seen = Seen(cycle: cycle, mixTimestamp: mix.timestamp, meter: mix.meter)
            for channel in 0..<mix.count {
                let samples = mix[channel]
                seen.mix.append(samples.indices.map { samples[$0] })
            }
            keeper.seen.withLock { $0 = seen }
        }
        let separate: @Sendable (inout Int, AudioCycle, borrowing ReceivedSources) -> Void = { _, cycle, sources in
            var seen = Seen(cycle: cycle)
            for lane in 0..<sources.count {
                guard let source = sources[lane] else { continue }
                var heard = Heard(source: source, channels: [])
                for channel in 0..<source.channelCount {
                    let samples = sources.samples(ofLane: lane, channel: channel)
                    heard.channels.append(samples.indices.map { samples[$0] })
                }
                seen.lanes[lane] = heard
            }
            keeper.seen.withLock { $0 = seen }
        }
        let plan = PortMemory.ReceiverPlan(laneCount: lanes, alignment: alignment, fade: fade)
        memory =
            isSeparate
            ? try! PortMemory(state: 0, block: separate, blockInputCount: width, outputCount: 0, receiver: plan)
            : try! PortMemory(state: 0, block: mixed, blockInputCount: width, outputCount: 0, receiver: plan)
        let realtime =
            isSeparate
            ? RealtimeCall.receiver(SeparateReceiverBlockHolder(block: separate))
            : RealtimeCall.receiver(ReceiverBlockHolder(block: mixed))
        unsafe call = realtime.words(core: UnsafeMutableRawPointer(memory.core.pointer))
        makeControl = { [memory] sourceCounts in
            ReceiverControl(
                memory: memory.receiver!, laneCount: lanes, width: width, alignment: alignment, fade: fade,
                panLaw: panLaw, sourceCounts: sourceCounts)
        }
        control = makeControl([])
        unsafe inputs = .allocate(capacity: lanes * width)
        unsafe inputs.initialize(repeating: nil, count: lanes * width)
        unsafe outputs = .allocate(capacity: 1)
        unsafe outputs.initialize(to: nil)
        unsafe buffers = .allocate(capacity: lanes * width * AudioCycle.maximumFrameCount)
    }

    deinit {
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
        unsafe buffers.deallocate()
    }

    // MARK: Control side

    /// Links a source to a lane.
    ///
    /// - Parameter channels: those that are linked; all if `nil`.
    func link(
        _ lane: Int, source: UInt64, outputs: Int? = nil, channels: Set<Int>? = nil,
        latency: ClosedRange<Int> = 0...0, named name: String? = nil
    ) {
        let outputs = outputs ?? width
        facts[source] = GraphReducer.SourceFacts(
            applicationID: "org.example.source", nodeName: name ?? "source \(source)",
            outputCount: outputs)
        occupations[lane] = LaneTable.LinkSummary(
            sources: [source], outputCount: outputs, channels: channels ?? Set(0..<width))
        latencies[lane] = latency
        update()
    }

    func unlink(_ lane: Int) {
        occupations[lane] = nil
        update()
    }

    func setLatency(_ latency: ClosedRange<Int>, ofLane lane: Int) {
        latencies[lane] = latency
        update()
    }

    func setLevel(_ level: Source.Level, ofLane lane: Int) {
        control.setLevel(level, lane: lane)
        if let identity = control.lanes[lane].identity { saved[identity] = level }
        control.publish()
    }

    func leave(_ lane: Int) {
        control.setLeaving(true, lane: lane)
        control.publish()
    }

    /// The port's node is destroyed, and another one is made for the port.
    func makeNodeAgain() {
        memory.markDiscontinuous()
        memory.core.value.isLinked.store(false, ordering: .releasing)
        control.leaveGraph()
        control = makeControl(control.lanes.map(\.sourceGeneration))
        occupations = [:]
    }

    private func update() {
        for lane in 0..<laneCount {
            control.updateLane(
                lane, with: occupations[lane], latency: latencies[lane] ?? 0...0, facts: { facts[$0] },
                level: { saved[$0] })
        }
        control.publish()
        let core = memory.core
        if !core.value.isLinked.load(ordering: .relaxed), !occupations.isEmpty {
            core.value.connectionEpoch.add(1, ordering: .relaxed)
        }
        core.value.isLinked.store(!occupations.isEmpty, ordering: .releasing)
    }

    // MARK: Audio side

    /// The clock goes on without the port.
    func miss(_ frames: Int) { position += UInt64(frames) }

    /// The driver stops, and its position with it.
    func stand(seconds: Double) { origin = origin &+ UInt64(seconds * 1e9) }

    /// The next cycle begins earlier than the last one ended: PipeWire gives a late app one cycle twice.
    func repeatLast(_ frames: Int) { position -= UInt64(frames) }

    /// PipeWire does not run the port until its peers go on.
    func pause() { memory.markDiscontinuous() }

    /// Another device drives the graph, at another position, some time after the end of the last cycle.
    func changeDriver(to position: UInt64, after seconds: Double) {
        clock += 1
        move(to: position, after: seconds)
    }

    /// The graph has another rate.
    func changeSampleRate(to sampleRate: Int) {
        let end = time
        self.sampleRate = sampleRate
        origin = origin &+ (end &- time)
    }

    private func move(to position: UInt64, after seconds: Double) {
        let start = time + UInt64(seconds * 1e9)
        self.position = position
        origin = origin &+ (start &- time)
    }

    /// The time at which the next cycle begins, in nanoseconds.
    private var time: UInt64 { origin &+ position * 1_000_000_000 / UInt64(sampleRate) }

    /// Runs one cycle.
    ///
    /// - Parameter samples: what comes on a channel of a lane; `nil` where PipeWire gives no buffer.
    /// - Returns: what the block saw, `nil` if it was not called.
    func run(_ frames: Int, _ samples: (_ lane: Int, _ channel: Int) -> [Float]?) -> Seen? {
        for lane in 0..<laneCount {
            for channel in 0..<width {
                let index = lane * width + channel
                guard let block = samples(lane, channel) else {
                    unsafe inputs[index] = nil
                    continue
                }
                precondition(block.count == frames)
                let buffer = unsafe buffers + index * AudioCycle.maximumFrameCount
                for frame in 0..<frames { unsafe buffer[frame] = block[frame] }
                unsafe inputs[index] = unsafe buffer
            }
        }
        var cycle = unsafe crt_cycle(
            position: position, nanoseconds: time,
            frames: UInt32(frames), rate: UInt32(sampleRate), clock: clock, is_freewheeling: false,
            is_discontinuous: false, inputs: inputs, outputs: outputs)
        keeper.seen.withLock { $0 = nil }
        var call = unsafe call
        unsafe crt_run(&call, &cycle)
        position += UInt64(frames)
        return keeper.seen.withLock { $0 }
    }
}
