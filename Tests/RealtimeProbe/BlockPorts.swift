// SPDX-License-Identifier: MIT
import PipeBus

/// Ports whose blocks have a fixed size, longer and shorter than the cycles.
struct BlockPorts {
    let sender: SenderPort
    let filter: FilterPort
    let inPlace: FilterPort

    var filters: [FilterPort] { [filter, inPlace] }

    init(on bus: BusClient) async throws {
        sender = try await bus.sender("ahead", channels: .mono, isFromLiveSource: true, blockSize: 441, state: 0) {
            count, cycle, output in
            output.fill(0) { frame in Float(frame) / 441 }
            if cycle.isDiscontinuous || cycle.missedFrames > 0 { count += 1 }
        }
        filter = try await bus.filter("gathering", inputs: .mono, outputs: .stereo, blockSize: 10_000, state: ()) {
            _, _, input, output in
            let from = input[0]
            // The other channel is silenced.
            output.fill(0) { frame in from[frame] }
        }
        inPlace = try await bus.inPlaceFilter("shaping", blockSize: 64, state: UInt64(0)) { last, cycle, channels in
            var samples = channels[1]
            for frame in samples.indices { samples[frame] *= 0.5 }
            last = cycle.position
        }
    }

    /// Connects each with the next, and the last with a receiver.
    func connect(to receiver: ReceiverPort, on bus: BusClient) async throws {
        try await bus.connect(sender, to: filter)
        try await bus.connect(filter, to: inPlace)
        try await bus.connect(inPlace, to: receiver)
    }
}
