// SPDX-License-Identifier: MIT
import PipeBus

/// Filters with auxiliary inputs, with blocks of a fixed size and without.
struct SidePorts {
    let filters: [FilterPort]

    init(on bus: BusClient) async throws {
        let inputs = [
            AuxiliaryInput("key", lanes: 2),
            AuxiliaryInput("other", lanes: 1, alignment: .immediate, fade: .none),
        ]
        var filters: [FilterPort] = []
        for blockSize in [nil, 500] {
            filters.append(
                try await bus.filter(
                    "keyed-\(blockSize ?? 0)", auxiliaryInputs: inputs, blockSize: blockSize,
                    state: Float(0)
                ) { envelope, _, input, auxiliary, output in
                    let from = input[0]
                    let key = auxiliary[0][0]
                    let other = auxiliary[1]
                    for index in 0..<auxiliary.count where auxiliary.isConnected(index) { envelope *= 0.5 }
                    for frame in key.indices where key[frame] > envelope { envelope = key[frame] }
                    var samples = output[0]
                    for frame in samples.indices { samples[frame] = from[frame] * envelope + other[1, frame] }
                })
        }
        self.filters = filters
    }
}
