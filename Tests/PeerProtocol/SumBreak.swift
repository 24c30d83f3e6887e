// SPDX-License-Identifier: MIT

/// A step in a ``SumProbe``'s signal that does not continue the ones before.
package struct SumBreak: Codable, Sendable, Hashable {
    /// Start of its cycle, in nanoseconds of the graph's clock.
    package var cycle: UInt64
    /// Its frame in that cycle.
    package var frame: Int
    /// The sample before it, in quarters of a count; −1 if it was none.
    package var before: Int32
    /// The first sample of it, likewise.
    package var after: Int32

    // Explicit, since only that can be marked for the audio thread.
    @_noLocks
    package init(cycle: UInt64, frame: Int, before: Int32, after: Int32) {
        self.cycle = cycle
        self.frame = frame
        self.before = before
        self.after = after
    }

    package var words: String { "at \(cycle), frame \(frame), from \(before) to \(after)" }
}
