// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// What a receiver hears of one source just now; see ``ReceiverPort/meters(every:)``.
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
    /// How old the source's sound is when it arrives, as the ports on its way declare it.
    public let latency: Latency

    /// Largest sample since this reader's last reading, linear, full scale 1; it can be more.
    public var peak: Float { meter.peak }
    /// Largest sample of the last two seconds.
    public var heldPeak: Float { meter.heldPeak }
    /// The root of the mean square of the last 0.3 seconds.
    public var rms: Float { meter.rms }
}

extension SourceMeter {
    /// - Parameter window: the first of the windows that the peak is of.
    init(_ source: Source, of memory: ReceiverMemory, since window: Int) {
        id = source.id
        lane = source.lane
        title = source.title
        meter = memory.meters.reading(lane: source.lane, since: window)
        latency = Latency(frames: source.latency.frames, sampleRate: memory.sampleRate)
    }
}
