// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// Everything that a receiver's block was given. The graph stands still when a test looks.
final class Hearing: Sendable {
    struct Lane {
        var source: ReceivedSource
        var channels: [[Float]]
    }

    /// One cycle.
    struct Moment {
        var cycle: AudioCycle
        /// The timestamp of the mix, and the mix; absent for separate streams.
        var timestamp: Timestamp?
        var mix: [[Float]] = []
        var lanes: [Int: Lane] = [:]
        /// The generations of a mix's sources.
        var generations: [UInt64] = []

        var start: Int64 { Int64(cycle.position) }
    }

    private let kept = Mutex<[Moment]>([])

    var moments: [Moment] { kept.withLock { $0 } }

    func forget() { kept.withLock { $0 = [] } }

    /// One channel of the mix from the first cycle to the last.
    func mix(_ channel: Int = 0) -> [Float] { moments.flatMap { $0.mix[channel] } }

    // MARK: Recording receivers

    func mixed(
        on client: BusClient, _ name: String = "in", channels: ChannelLayout = .mono, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .none, panLaw: PanLaw = .constantPower
    ) async throws -> ReceiverPort {
        try await client.receiver(
            name, channels: channels, lanes: lanes, alignment: alignment, fade: fade, panLaw: panLaw, state: ()
        ) { [self] _, cycle, mix in
            var moment = Moment(cycle: cycle, timestamp: mix.timestamp)
            for channel in 0..<mix.count { moment.mix.append(Self.copy(mix[channel])) }
            for lane in 0..<mix.laneCount {
                if let source = mix.source(onLane: lane) { moment.generations.append(source.sourceGeneration) }
            }
            kept.withLock { $0.append(moment) }
        }
    }

    func separate(
        on client: BusClient, _ name: String = "in", channels: ChannelLayout = .mono, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .none
    ) async throws -> ReceiverPort {
        try await client.separateReceiver(
            name, channels: channels, lanes: lanes, alignment: alignment, fade: fade, state: ()
        ) { [self] _, cycle, sources in
            var moment = Moment(cycle: cycle)
            for lane in 0..<sources.count {
                guard let source = sources[lane] else { continue }
                var channels: [[Float]] = []
                for channel in 0..<source.channelCount {
                    channels.append(Self.copy(sources.samples(ofLane: lane, channel: channel)))
                }
                moment.lanes[lane] = Lane(source: source, channels: channels)
            }
            kept.withLock { $0.append(moment) }
        }
    }

    private static func copy(_ samples: Span<Float>) -> [Float] {
        unsafe samples.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
