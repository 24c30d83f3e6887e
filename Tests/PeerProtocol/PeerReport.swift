// SPDX-License-Identifier: MIT

/// How one port of a `bus-peer` fared.
@dynamicMemberLookup
package struct PeerReport: Codable, Sendable, Hashable {
    package var counts: PeerCounts
    // Of each of these only the newest are included if there are very many.

    /// Frames that `AudioCycle` said were missed.
    package var gaps: [FrameRange]
    /// Cycles of which `AudioCycle` said that they do not continue the last one, but for the first of all; with the last
    /// one if no frames are missing between the two.
    package var breaks: [FrameRange]
    /// Frames that were wrong.
    package var wrongRanges: [FrameRange]

    package init(counts: PeerCounts, gaps: [FrameRange], breaks: [FrameRange], wrongRanges: [FrameRange]) {
        self.counts = counts
        self.gaps = gaps
        self.breaks = breaks
        self.wrongRanges = wrongRanges
    }

    package subscript<Value>(dynamicMember member: KeyPath<PeerCounts, Value>) -> Value { counts[keyPath: member] }
}

/// Frames from one position up to another, which is not in it.
package struct FrameRange: Codable, Sendable, Hashable {
    package var start: UInt64
    package var end: UInt64

    @_noLocks
    package init(start: UInt64, end: UInt64) {
        self.start = start
        self.end = end
    }

    package func overlaps(_ other: FrameRange) -> Bool { start < other.end && other.start < end }
}
