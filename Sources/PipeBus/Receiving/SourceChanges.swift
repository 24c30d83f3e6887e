// SPDX-License-Identifier: MIT

/// What became of a receiver's sources since the element before; see ``ReceiverPort/sourceUpdates``.
///
/// - Thread: any. A value.
public struct SourceChanges: Sendable {
    /// All that are connected now, by lane.
    public let sources: [Source]
    /// Those that were not connected the last time.
    public let connected: [Source]
    /// Those of which something is another: title, latency, level.
    public let changed: [Source]
    /// Those that are not connected any more, as they were last.
    public let disconnected: [Source]

    init(from old: [Source], to new: [Source]) {
        sources = new
        connected = new.filter { source in !old.contains { $0.id == source.id } }
        disconnected = old.filter { source in !new.contains { $0.id == source.id } }
        changed = new.filter { source in old.contains { $0.id == source.id && $0.differs(from: source) } }
    }

    var isEmpty: Bool { connected.isEmpty && changed.isEmpty && disconnected.isEmpty }
}
