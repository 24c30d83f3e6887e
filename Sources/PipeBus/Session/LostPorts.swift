// SPDX-License-Identifier: MIT

/// The ports that another program removed from the graph, or that could not be made, until they are in the graph again.
/// Confined to the loop.
///
/// A port that is removed again and again is given up: somebody wants it away. One that cannot be made is tried again for as
/// long as the session lasts, because the cause may pass.
final class LostPorts {
    /// The number of times that a port is made again within ``period``.
    static let maximumRemovals = 5
    static let period: Duration = .seconds(10)

    private struct Entry {
        var handle: PortHandle
        /// When other programs removed it, in the last period.
        var removals: [ContinuousClock.Instant] = []
        /// The number of attempts that failed in a row.
        var failures = 0
        var backOff = BackOff()
        var notBefore: ContinuousClock.Instant
        var isLost = true
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { !entries.contains(where: \.isLost) }

    /// The time of the next attempt.
    var nextAttempt: ContinuousClock.Instant? { entries.filter(\.isLost).map(\.notBefore).min() }

    /// Another program removed a port, or a channel of it.
    ///
    /// - Returns: whether it is to be made again.
    func removed(_ handle: PortHandle, at now: ContinuousClock.Instant) -> Bool {
        entries.removeAll { !$0.isLost && ($0.removals.last?.duration(to: now) ?? Self.period) >= Self.period }
        let index = index(of: handle, at: now)
        entries[index].removals.removeAll { $0.duration(to: now) >= Self.period }
        guard entries[index].removals.count < Self.maximumRemovals else {
            entries.remove(at: index)
            return false
        }
        // The first attempt is made at once.
        let isFirst = entries[index].removals.isEmpty
        entries[index].notBefore = isFirst ? now : now.advanced(by: entries[index].backOff.next())
        entries[index].removals.append(now)
        entries[index].isLost = true
        return true
    }

    /// A port could not be made. The next attempt is made later than after the last failure, and after two seconds at most.
    ///
    /// - Returns: the number of attempts that have failed in a row.
    func failed(_ handle: PortHandle, at now: ContinuousClock.Instant) -> Int {
        let index = index(of: handle, at: now)
        entries[index].notBefore = now.advanced(by: entries[index].backOff.next())
        entries[index].failures += 1
        entries[index].isLost = true
        return entries[index].failures
    }

    /// A port is in the graph.
    func restored(_ handle: PortHandle) {
        guard let index = entries.firstIndex(where: { $0.handle === handle }) else { return }
        if entries[index].failures > 0 { entries[index].backOff.reset() }
        entries[index].failures = 0
        entries[index].isLost = false
    }

    /// The app has closed a port.
    func forget(_ handle: PortHandle) { entries.removeAll { $0.handle === handle } }

    /// Forgets all ports but those that are still declared.
    func keep(_ isDeclared: (PortHandle) -> Bool) { entries.removeAll { !isDeclared($0.handle) } }

    private func index(of handle: PortHandle, at now: ContinuousClock.Instant) -> Int {
        if let index = entries.firstIndex(where: { $0.handle === handle }) { return index }
        entries.append(Entry(handle: handle, notBefore: now))
        return entries.endIndex - 1
    }
}
