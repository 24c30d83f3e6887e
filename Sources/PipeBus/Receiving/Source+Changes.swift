// SPDX-License-Identifier: MIT

extension Source {
    /// The changes of a receiver's sources since the previous element; see ``ReceiverPort/sourceUpdates``.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Changes: Sendable {
        /// All sources that are connected now, by lane.
        public let sources: [Source]
        /// The sources that were not in the previous element.
        public let connected: [Source]
        /// The sources of which a property has changed, such as title, latency, mix level or ``Source/isStalled``; a change of
        /// ``Source/context`` does not count.
        public let changed: [Source]
        /// The sources that were disconnected, with their last properties.
        public let disconnected: [Source]

        init(from old: [Source], to new: [Source]) {
            sources = new
            connected = new.filter { source in !old.contains { $0.id == source.id } }
            disconnected = old.filter { source in !new.contains { $0.id == source.id } }
            changed = new.filter { source in old.contains { $0.id == source.id && $0.differs(from: source) } }
        }

        var isEmpty: Bool { connected.isEmpty && changed.isEmpty && disconnected.isEmpty }
    }
}
