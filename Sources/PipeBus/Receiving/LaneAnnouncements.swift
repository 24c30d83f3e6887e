// SPDX-License-Identifier: MIT

/// The sources that a receiver has announced: each once, for as long as it has a link to a lane.
struct LaneAnnouncements {
    struct Entry: Hashable {
        var kind: Notice.Kind
        /// The serial of the source's node.
        var source: UInt64
        var lane: Int
    }

    private var entries: Set<Entry> = []

    /// - Returns: whether the source was not announced before.
    mutating func insert(_ entry: Entry) -> Bool { entries.insert(entry).inserted }

    /// Removes the sources that are gone.
    mutating func keep(where isThere: (UInt64) -> Bool) {
        guard !entries.isEmpty else { return }
        let sources = Set(entries.map(\.source)).filter(isThere)
        entries = entries.filter { sources.contains($0.source) }
    }
}
