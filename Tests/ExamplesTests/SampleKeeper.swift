// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import Synchronization

/// Keeps what a receiver of the test is given, channel by channel. It locks and allocates on the audio thread, which
/// tests may.
final class SampleKeeper: Sendable {
    private struct State {
        var channels: [[Float]] = []
        var firstPosition: UInt64?
        var missedFrames = 0
    }

    private let state = Mutex(State())

    func keep(_ cycle: AudioCycle, _ input: borrowing InputChannels) {
        let channels = (0..<input.count).map { channel in
            let samples = input[channel]
            return samples.indices.map { samples[$0] }
        }
        state.withLock { state in
            if state.firstPosition == nil {
                state.firstPosition = cycle.position
                state.channels = channels
            } else {
                state.missedFrames += cycle.missedFrames
                for channel in channels.indices { state.channels[channel] += channels[channel] }
            }
        }
    }

    /// The recorded samples, from a position of the graph on.
    func samples(ofChannel channel: Int, from position: UInt64) throws -> [Float] {
        try state.withLock { state in
            guard let first = state.firstPosition, position >= first, state.missedFrames == 0 else {
                throw TestKitError("Nothing came from \(position) on, or frames were missed.")
            }
            return Array(state.channels[channel].dropFirst(Int(position - first)))
        }
    }

    /// The samples of all channels from the first frame on that is not silent.
    func sound() throws -> [[Float]] {
        try state.withLock { state in
            guard let start = state.channels.compactMap({ $0.firstIndex { $0 != 0 } }).min(), state.missedFrames == 0
            else { throw TestKitError("Nothing but silence came, or frames were missed.") }
            return state.channels.map { Array($0[start...]) }
        }
    }

    /// The newest samples.
    func lastSamples(ofChannel channel: Int, count: Int) -> [Float] {
        state.withLock { Array($0.channels[channel].suffix(count)) }
    }

    /// Frames of silence since the last sound; 0 before there was one.
    var silenceAfterSound: Int {
        state.withLock { state in
            let counts = state.channels.map { channel in
                channel.lastIndex { $0 != 0 }.map { channel.count - 1 - $0 } ?? 0
            }
            return counts.min() ?? 0
        }
    }

    var frameCount: Int { state.withLock { $0.channels.first?.count ?? 0 } }
    var firstPosition: UInt64? { state.withLock { $0.firstPosition } }
}

extension BusClient {
    /// Adds a receiver that keeps everything.
    nonisolated func keeper(_ name: String = "in", channels: ChannelLayout) async throws -> (ReceiverPort, SampleKeeper)
    {
        let keeper = SampleKeeper()
        let port = try await receiver(name, channels: channels, fade: .none, panLaw: .balance, state: ()) {
            _, cycle, mix in keeper.keep(cycle, mix.channels)
        }
        return (port, keeper)
    }

    /// Adds a sender of a test signal, which begins with the first connected cycle.
    nonisolated func source(
        _ name: String = "out", of signal: TestSignal, channels: ChannelLayout
    ) async throws -> (SenderPort, SourceProgress) {
        let progress = SourceProgress()
        let port = try await sender(name, channels: channels, state: UInt64(0)) { frame, cycle, output in
            progress.begin(at: cycle.position)
            frame += UInt64(cycle.missedFrames)
            for channel in 0..<output.count {
                var samples = output[channel]
                for index in samples.indices {
                    samples[index] = signal.sample(frame: frame + UInt64(index), channel: channel)
                }
            }
            frame += UInt64(cycle.frameCount)
        }
        return (port, progress)
    }
}

/// Where in the graph's time a test's sender began.
final class SourceProgress: Sendable {
    private let first = Mutex<UInt64?>(nil)

    func begin(at position: UInt64) { first.withLock { $0 = $0 ?? position } }
    var firstPosition: UInt64? { first.withLock { $0 } }
}
