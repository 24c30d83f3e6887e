// SPDX-License-Identifier: MIT
import PipeBus

/// Hands what one port of an app took to another one of it, as an app would that works on it in between: the last cycle's
/// samples, in memory that both blocks' states point to.
@safe final class PassOn: @unchecked Sendable {
    // @unchecked: both blocks run on one thread, one after the other.
    private let samples: UnsafeMutablePointer<Float>

    init() {
        unsafe samples = .allocate(capacity: AudioCycle.maximumFrameCount)
        unsafe samples.initialize(repeating: -1, count: AudioCycle.maximumFrameCount)
    }

    deinit { unsafe samples.deallocate() }

    func receiver(_ name: String, on bus: BusClient, after: [any LocalPortDesignator] = []) async throws -> ReceiverPort
    {
        try await bus.receiver(name, channels: .mono, lanes: 2, fade: .none, after: after, state: self) {
            me, cycle, mix in
            let from = mix[0]
            for frame in 0..<cycle.frameCount { unsafe me.samples[frame] = from[frame] }
        }
    }

    func sender(
        _ name: String, on bus: BusClient, latency: PortLatency = 0, after: [any LocalPortDesignator] = []
    ) async throws -> SenderPort {
        try await bus.sender(name, channels: .mono, latency: latency, after: after, state: self) { me, cycle, output in
            var to = output[0]
            for frame in 0..<cycle.frameCount { to[frame] = unsafe me.samples[frame] }
        }
    }
}
