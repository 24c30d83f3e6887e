// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting

/// A source of noise that is known at every position of the graph's clock.
struct MixGiver: Sendable {
    let id: GraphPort.ID
    let nodeName: String
    let channels: Int
    /// The published latency, in frames.
    let latency: Int
    /// The sample at a position on a channel.
    let sample: @Sendable (_ position: Int64, _ channel: Int) -> Float

    static func sender(on stage: Stage, _ number: Int, channels: Int, latency: Int) async throws -> MixGiver {
        let noise = TestSignal(.noise(seed: UInt64(number) << 32))
        let sample: Stage.Signal = { noise.sample(frame: UInt64(bitPattern: $0), channel: $1) }
        // The latency is only published: the published value counts.
        let port = try await stage.sender(
            "out\(number)", channels: .channels(channels), latency: latency, actual: 0, sample)
        return MixGiver(id: port.id, nodeName: port.nodeName, channels: channels, latency: latency, sample: sample)
    }

    /// The same sound through a filter that inverts it, and publishes a latency of its own.
    func inverted(on stage: Stage, latency own: Int) async throws -> MixGiver {
        let port = try await stage.givers.filter(
            "fx", inputs: .channels(channels), latency: own, fade: .none, state: ()
        ) {
            _, _, input, output in
            for channel in 0..<output.count {
                let from = input[channel]
                var to = output[channel]
                for frame in from.indices { to[frame] = -from[frame] }
            }
        }
        try await stage.taker.connect(nodeName, to: port.nodeName)
        return MixGiver(id: port.id, nodeName: port.nodeName, channels: channels, latency: latency + own) {
            [sample] in -sample($0, $1)
        }
    }

    /// Whether a receiver of so many channels takes it.
    func fits(_ width: Int) -> Bool { channels == width || channels == 1 && width == 2 }
}
