// SPDX-License-Identifier: MIT

/// What is out of date. One job brings all of it up to date, in the order of the cases: see `DaemonSession+Refresh`.
///
/// Work that cannot wait for a job, such as a foreign link on an occupied lane, is done in the registry's callback instead.
struct Refresh {
    struct Parts: OptionSet {
        let rawValue: Int

        /// Which receivers' sources have other properties.
        static let receivers = Parts(rawValue: 1 << 0)
        /// Latencies where PipeWire's own sums cannot be used.
        static let latencies = Parts(rawValue: 1 << 1)
        /// What is forbidden or possible at the own ports, and how their connections stand.
        static let ports = Parts(rawValue: 1 << 2)
        /// Readers of sources.
        static let sourceReaders = Parts(rawValue: 1 << 3)
        /// Readers of the graph.
        static let graphReaders = Parts(rawValue: 1 << 4)
    }

    private var stale: Parts = []
    private var isScheduled = false

    func isStale(_ part: Parts) -> Bool { stale.contains(part) }

    /// - Returns: whether a job must be started, as none is on its way.
    mutating func mark(_ parts: Parts) -> Bool {
        stale.formUnion(parts)
        defer { isScheduled = true }
        return !isScheduled
    }

    /// The job has started: what is marked from now on needs another one.
    mutating func begin() { isScheduled = false }

    /// Whether a part was out of date; it counts as brought up to date from now on.
    mutating func take(_ part: Parts) -> Bool { stale.remove(part) != nil }
}
