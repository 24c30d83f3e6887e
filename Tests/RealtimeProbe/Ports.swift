// SPDX-License-Identifier: MIT
import PipeBus
import RealtimeKit

/// Ports of each kind, written as an app would, and more senders for the receivers to mix, to wait for and to lose.
struct Ports {
    let sender: SenderPort
    let second: SenderPort
    let late: SenderPort
    let filter: FilterPort
    let inPlace: FilterPort
    let fading: FilterPort
    /// Uses the values that other threads send, and those that this one sets.
    let threads: FilterPort
    let isOn = Parameter(true)
    let gain = Parameter(Float(1))
    let frequency = Parameter(1.0)
    /// Has a writer instead of a block, and another one of live sound.
    let written: SenderPort
    let live: SenderPort
    /// With blocks of a fixed size, one behind the other.
    let blocks: BlockPorts
    let side: SidePorts
    /// Hears all of these.
    let sink: ReceiverPort
    /// Runs after the receivers that mix, and is heard by the last one.
    let answer: SenderPort
    /// One of each kind: mixed and aligned, separate and aligned, mixed without alignment.
    let receivers: [ReceiverPort]
    /// The loudness of the first two senders.
    let loudness = Loudness()

    var mixed: ReceiverPort { receivers[0] }
    /// The receivers with levels.
    var mixing: [ReceiverPort] { [receivers[0], receivers[2]] }

    init(on bus: BusClient, violation: Violation, witness: Witness) async throws {
        let loudness = loudness
        try await bus.beforeCycle(state: witness) { witness, cycle in witness.noteCycle(cycle) }
        sender = try await bus.sender("tone", channels: .stereo, state: Float(0)) { value, _, output in
            violation.commit()
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices { samples[frame] = value * loudness.value }
            }
            value += 1
        }
        second = try await bus.sender("second", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in loudness.value }
        }
        late = try await Self.lateSender(on: bus)
        filter = try await bus.filter("pass", latency: 16, fade: .none, after: ["tone", "second"], state: ()) {
            _, _, input, output in
            // One filled, one opened.
            let from = input[0]
            output.fill(0) { frame in from[frame] }
            var to = output[1]
            for frame in from.indices { to[frame] = input[1, frame] }
        }
        inPlace = try await bus.inPlaceFilter("gain", latency: 300, state: 0) { count, cycle, channels in
            for channel in 0..<channels.count {
                var samples = channels[channel]
                for frame in samples.indices { samples[frame] *= 0.5 }
            }
            if cycle.shouldMuteLocalOutput || cycle.isConnectedToSelf || cycle.isDiscontinuous || !cycle.isConnected {
                count += 1
            }
        }
        fading = try await bus.filter("fading", inputs: .mono, outputs: .stereo, state: Float(0)) {
            last, cycle, input, output in
            let from = input[0]
            // Both channels at once, and the same sample by sample.
            output.withChannels(0, 1) { left, right in
                for frame in left.indices {
                    left[frame] = from[frame] + last
                    right[frame] = from[frame] - last
                    last = 0.5 * from[frame]
                }
            }
            for frame in 0..<cycle.frameCount { output[1, frame] += input[0, frame] - output[0, frame] }
        }
        threads = try await bus.filter(
            "threads", fade: .none, state: Threads(isOn: isOn, gain: gain, frequency: frequency)
        ) { threads, cycle, input, output in
            threads.process(cycle, input, into: &output)
        }
        receivers = [
            try await Self.mixed("in", .synchronized, on: bus, witness), try await Self.separate("tracks", on: bus),
            try await Self.mixed("now", .immediate, on: bus, nil),
        ]
        // "in" is there already and has to be given what the order needs.
        sink = try await bus.receiver("sink", lanes: 6)
        side = try await SidePorts(on: bus)
        blocks = try await BlockPorts(on: bus)
        written = try await bus.sender("written")
        live = try await bus.sender("live", channels: .mono)
        let format = StreamFormat(.int16, sampleRate: 44_100)
        let writing = Writing(
            music: try await written.makeWriter(format: format, bufferSize: 4096),
            live: try await live.makeWriter(
                format: StreamFormat(.float32, sampleRate: 48_000), liveLatency: 1000, hasOwnClock: true))
        let answering = Answering(
            witness: witness,
            reading: Reading(
                mix: try receivers[0].makeReader(), tracks: try receivers[1].makeReader(format: format),
                clocked: try receivers[0].makeReader(format: format, hasOwnClock: true)),
            writing: writing, multi: try MultiStreaming())
        answer = try await bus.sender("answer", channels: .mono, after: ["in", "tracks"], state: answering) {
            answering, cycle, output in
            answering.witness.noteBlock(cycle)
            answering.witness.noteAnswer(cycle)
            answering.reading.run(cycle)
            answering.writing.run(cycle)
            answering.multi.run()
            var samples = output[0]
            for frame in samples.indices { samples[frame] = 0.25 }
        }
    }

    /// A source that the others wait for.
    static func lateSender(on bus: BusClient) async throws -> SenderPort {
        try await bus.sender("late", channels: .stereo, latency: 4800, state: ()) { _, _, output in
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices { samples[frame] = 0.5 }
            }
        }
    }

    private struct Answering: ~Copyable, Sendable {
        var witness: Witness
        var reading: Reading
        var writing: Writing
        var multi: MultiStreaming
    }

    /// Reads everything that a receiver's block can read, so that everything is reached.
    private struct Loudest {
        var witness: Witness?
        var peak: Float = 0
        var oldest = Int64.max
        var shared = 0
    }

    private static func mixed(
        _ name: String, _ alignment: Alignment, on bus: BusClient, _ witness: Witness?
    ) async throws -> ReceiverPort {
        let loudest = Loudest(witness: witness)
        return try await bus.receiver(name, lanes: 5, alignment: alignment, after: ["pass"], state: loudest) {
            loudest, cycle, mix in
            if let witness = loudest.witness {
                witness.noteBlock(cycle)
                witness.noteReceiver(cycle)
            }
            for channel in 0..<mix.count {
                let samples = mix[channel]
                for frame in samples.indices where samples[frame] > loudest.peak { loudest.peak = samples[frame] }
            }
            let channels = mix.channels
            if channels[0][cycle.frameCount - 1] > loudest.peak { loudest.peak = channels[0][cycle.frameCount - 1] }
            if mix.timestamp.position < loudest.oldest { loudest.oldest = mix.timestamp.position }
            if mix.meter.isOver || !cycle.isConnected || cycle.isRecoveringFromXrun { loudest.shared += 1 }
            if cycle.load.maximum < cycle.load.mean || cycle.xrunCount < 0 { loudest.shared += 1 }
            for lane in 0..<mix.laneCount {
                if mix.meter(ofLane: lane).rms > loudest.peak { loudest.peak = mix.meter(ofLane: lane).rms }
                if let source = mix.source(onLane: lane), source.isShared { loudest.shared += 1 }
            }
        }
    }

    private static func separate(_ name: String, on bus: BusClient) async throws -> ReceiverPort {
        try await bus.separateReceiver(name, lanes: 4, state: Loudest()) { loudest, _, sources in
            for lane in 0..<sources.count {
                guard let source = sources[lane] else { continue }
                if sources.meter(ofLane: lane).heldPeak > loudest.peak { loudest.shared += 1 }
                if source.timestamp.position < loudest.oldest { loudest.oldest = source.timestamp.position }
                if source.isShared || source.isLatencyUncertain || !source.isAligned || !source.isConnected {
                    loudest.shared += source.age.frames + Int(truncatingIfNeeded: source.tag)
                }
                for channel in 0..<source.channelCount {
                    let samples = sources.samples(ofLane: lane, channel: channel)
                    for frame in samples.indices where samples[frame] > loudest.peak { loudest.peak = samples[frame] }
                }
            }
        }
    }
}
