// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns a timeline. The app's declarations and each port that uses it hold it.
final class TimelineMemory: @unchecked Sendable {
    // @unchecked: the timeline belongs to the audio thread while any node that uses it lives.
    private let owned: OwnedCells<GraphTimeline>
    private let numbers: NumberMemory

    /// Owns the numbers of the clocks of several timelines.
    private final class NumberMemory: @unchecked Sendable {
        // @unchecked: the number is atomic.
        let owned = OwnedCells(ClockNumbers())
    }

    init() {
        numbers = NumberMemory()
        owned = OwnedCells(GraphTimeline(numbers: numbers.owned.cell))
    }

    /// Makes a timeline in a state of another one. They never give two clocks one number.
    init(_ state: GraphTimeline, sharingNumbersWith other: TimelineMemory) {
        numbers = other.numbers
        owned = OwnedCells(state)
    }

    var cell: Cell<GraphTimeline> { owned.cell }
}
