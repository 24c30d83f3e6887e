// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// One reading of a source's sound at a receiver; see ``ReceiverPort/meters(every:)``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct SourceMeter: Sendable, Identifiable {
    /// The source at the time of the reading: title, lane, latency.
    public let source: Source
    /// The source's pre-fader signal level: before its mix level is applied.
    public let meter: LevelMeter

    /// ``Source/id``.
    public var id: GraphPort.ID { source.id }
}
