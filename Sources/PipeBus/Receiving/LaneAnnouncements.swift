// SPDX-License-Identifier: MIT

/// What a receiver has announced of its lanes: each source once, for as long as anything of it is linked.
struct LaneAnnouncements {
    struct Entry: Hashable {
        var kind: Notice.Kind
        /// The serial of the source's node.
        var source: UInt64
        var lane: Int
    }

    private var entries: Set<Entry> = []

    /// - Returns: whether it has not been announced before.
    mutating func insert(_ entry: Entry) -> Bool { entries.insert(entry).inserted }

    /// Forgets the sources that are gone.
    mutating func keep(where isThere: (UInt64) -> Bool) {
        guard !entries.isEmpty else { return }
        let sources = Set(entries.map(\.source)).filter(isThere)
        entries = entries.filter { sources.contains($0.source) }
    }
}
