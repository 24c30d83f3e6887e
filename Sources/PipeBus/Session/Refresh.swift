// SPDX-License-Identifier: MIT

/// The stale parts of a session. One job brings all of them up to date, in one order: see `DaemonSession+Refresh`.
/// Confined to the loop.
///
/// Urgent work, such as moving a foreign link from an occupied lane, is done in the registry's callback instead.
final class Refresh {
    struct Parts: OptionSet {
        let rawValue: Int

        /// The properties of receivers' sources.
        static let receivers = Parts(rawValue: 1 << 0)
        /// Latencies where PipeWire's own sums cannot be used.
        static let latencies = Parts(rawValue: 1 << 1)
        /// Forbidden and possible self-connections at our ports, and the states of the ports.
        static let ports = Parts(rawValue: 1 << 2)
        /// Readers of sources.
        static let sourceReaders = Parts(rawValue: 1 << 3)
        /// Readers of the graph.
        static let graphReaders = Parts(rawValue: 1 << 4)
        /// Connections that other programs have made to our ports.
        static let foreignConnections = Parts(rawValue: 1 << 5)
        /// The levels of our receivers' sources, for other processes.
        static let sharedLevels = Parts(rawValue: 1 << 6)
        /// Receivers that monitor automatically.
        static let monitors = Parts(rawValue: 1 << 7)
    }

    private let jobs: JobQueue
    private var stale: Parts = []
    private var isScheduled = false
    /// The job, which takes the stale parts.
    var onDue: (() -> Void)?

    init(_ jobs: JobQueue) { self.jobs = jobs }

    func isStale(_ part: Parts) -> Bool { stale.contains(part) }

    /// Marks parts as stale, and schedules the job. It runs after the events that are waiting now, so a burst of events
    /// costs one job.
    func mark(_ parts: Parts) {
        stale.formUnion(parts)
        guard !isScheduled else { return }
        isScheduled = true
        jobs.add { [self] in
            // A part that is marked from now on needs another job.
            isScheduled = false
            onDue?()
        }
    }

    /// Takes a part, which the caller brings up to date.
    ///
    /// - Returns: whether the part was stale.
    func take(_ part: Parts) -> Bool { stale.remove(part) != nil }
}
