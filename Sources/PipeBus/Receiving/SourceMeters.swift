// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// What a receiver hears of one source just now.
///
/// - Thread: any. A value.
public struct SourceMeter: Sendable, Hashable, Identifiable {
    /// The source in the graph.
    public let id: GraphPort.ID
    /// Its lane.
    public let lane: Int
    /// What people see of the source.
    public let title: String
    /// How loud it is, before its level is applied.
    public let meter: LevelMeter
    /// How old the source's sound is when it arrives, as the ports on its way declare it. Before the first cycle 0.
    public let latency: Duration

    /// Largest sample since this reader's last reading, linear, full scale 1; it can be more.
    public var peak: Float { meter.peak }
    /// Largest sample of the last two seconds.
    public var heldPeak: Float { meter.heldPeak }
    /// The root of the mean square of the last 0.3 seconds.
    public var rms: Float { meter.rms }
}

/// Readings of a receiver's sources; see ``ReceiverPort/meters``.
///
/// - Thread: any.
public struct SourceMeters: AsyncSequence, Sendable {
    public typealias Element = [SourceMeter]
    public typealias Failure = Never

    let port: ReceiverPort

    public struct AsyncIterator: AsyncIteratorProtocol {
        let port: ReceiverPort
        /// The window that the next reading begins with: it may have been told in part.
        var window = 0

        public mutating func next() async -> [SourceMeter]? {
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return nil }
            guard let sources = try? await port.sources else { return nil }
            let first = window
            window = port.memory.meters.newest
            let rate = Int64(port.memory.sampleRate)
            return sources.map { source in
                SourceMeter(
                    id: source.id, lane: source.lane, title: source.title,
                    meter: port.memory.meters.reading(lane: source.lane, since: first),
                    latency: rate > 0 ? .nanoseconds(Int64(source.latency) * 1_000_000_000 / rate) : .zero)
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(port: port) }
}
