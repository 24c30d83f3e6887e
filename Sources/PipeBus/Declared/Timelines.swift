// SPDX-License-Identifier: MIT
import RealtimeKit

/// The timelines of an app's nodes: one for each thread that processes them, and so nearly always one. Confined to the
/// loop.
///
/// PipeWire processes all nodes of an app on one thread, unless it is configured to use several. A timeline that two threads
/// share would need a lock. So a node that another thread processes than the session's first node has a timeline of its own.
/// Positions never decrease on it either. They are those of the other timelines until the session's second clock begins,
/// and may then differ by some cycles until the session ends.
final class Timelines {
    /// The timeline of all nodes on the first node's thread.
    let main = TimelineMemory()
    /// The timelines of nodes on other threads, by the port's place.
    private var others: [Int: TimelineMemory] = [:]
    /// The state of ``main`` when the session began.
    private var origin: GraphTimeline

    init() { origin = main.cell.value }

    /// The timeline of a port that another thread processes.
    ///
    /// - Parameter place: the port's, ``DeclaredPort/place``.
    func other(ofPortAt place: Int) -> TimelineMemory {
        if let timeline = others[place] { return timeline }
        let timeline = TimelineMemory(origin, sharingNumbersWith: main)
        others[place] = timeline
        return timeline
    }

    /// Begins another clock with the next session, where the furthest timeline has ended. Called while no node runs.
    func endSession() {
        for other in others.values where other.cell.value.end > main.cell.value.end {
            main.cell.value = other.cell.value
        }
        others = [:]
        main.cell.value.endSession()
        origin = main.cell.value
    }
}
