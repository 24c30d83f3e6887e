// SPDX-License-Identifier: MIT
import PipeWireClient

extension LivePort {
    /// The age of the sound that arrives on some channels of a lane, in frames.
    ///
    /// - Parameter cycle: the cycle size, for latencies that are given in cycles; `nil` if it is not known.
    func latency(ofLane lane: Int, channels: Set<Int>, cycle: CycleSize?) -> ClosedRange<Int> {
        latencies.ledger.upstream(
            ofInputs: channels.map { lane * self.channels.laneWidth + $0 },
            cycleLength: cycle?.frameCount ?? 0, sampleRate: cycle?.sampleRate ?? 0)
    }

    /// The age of the sound that arrives on any channel, in frames.
    func inputLatency(in cycle: CycleSize?) -> Int {
        latencies.ledger.upstream(
            ofInputs: Array(channels.inputs.indices), cycleLength: cycle?.frameCount ?? 0,
            sampleRate: cycle?.sampleRate ?? 0
        ).upperBound
    }

    func requireReceiver() throws -> ReceiverControl {
        guard let receiver else { throw PipeBusError(.invalidArgument, "\(title) is no receiver.") }
        return receiver
    }

    /// The control of a receiver that mixes: only there sources have levels.
    func requireMixer() throws -> ReceiverControl {
        let receiver = try requireReceiver()
        guard !declaration.isSeparate else { throw Self.noLevels(at: Names.shown(title)) }
        return receiver
    }

    static func noLevels(at receiver: String) -> PipeBusError {
        PipeBusError(
            .notSupported,
            "\(receiver) takes its sources separately and does not mix them, so they have no volume, pan, mute or solo "
                + "there; set those at a receiver that mixes.")
    }
}
