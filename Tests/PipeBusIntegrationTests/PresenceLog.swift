// SPDX-License-Identifier: MIT
import Synchronization

/// The cycles in which each lane had a source, as positions on the graph's clock.
final class PresenceLog: Sendable {
    private let ranges: Mutex<[[Range<Int64>]]>

    init(lanes: Int) { ranges = Mutex(Array(repeating: [], count: lanes)) }

    func note(lane: Int, _ range: Range<Int64>) {
        ranges.withLock { lanes in
            if let last = lanes[lane].last, last.upperBound == range.lowerBound {
                lanes[lane][lanes[lane].count - 1] = last.lowerBound..<range.upperBound
            } else {
                lanes[lane].append(range)
            }
        }
    }

    /// Number of frames of all lanes.
    var frameCount: Int { ranges.withLock { $0.joined().reduce(0) { $0 + $1.count } } }
    /// The end of the newest cycle.
    var end: Int64 { ranges.withLock { $0.compactMap { $0.last?.upperBound }.max() ?? 0 } }

    /// Number of a lane's frames within a range.
    func frameCount(lane: Int, in range: Range<Int64>) -> Int {
        ranges.withLock { $0[lane].reduce(0) { $0 + $1.clamped(to: range).count } }
    }
}
