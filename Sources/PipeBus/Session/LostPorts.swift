// SPDX-License-Identifier: MIT

/// The ports that another program removed from the graph, or that could not be made, until they are in the graph again.
/// Confined to the loop.
///
/// A port that is removed again and again is given up: somebody wants it away.
final class LostPorts {
    /// The number of times that a port is made again within ``period``.
    static let maximumAttempts = 5
    static let period: Duration = .seconds(10)

    private struct Entry {
        var handle: PortHandle
        var attempts: [ContinuousClock.Instant] = []
        var backOff = BackOff()
        var notBefore: ContinuousClock.Instant
        var isLost = true
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { !entries.contains(where: \.isLost) }

    /// The time of the next attempt.
    var nextAttempt: ContinuousClock.Instant? { entries.filter(\.isLost).map(\.notBefore).min() }

    /// A port is lost, or could not be made.
    ///
    /// - Returns: whether it is to be made again.
    func failed(_ handle: PortHandle, at now: ContinuousClock.Instant) -> Bool {
        entries.removeAll { !$0.isLost && ($0.attempts.last?.duration(to: now) ?? .zero) >= Self.period }
        let index =
            entries.firstIndex { $0.handle === handle }
            ?? {
                entries.append(Entry(handle: handle, notBefore: now))
                return entries.endIndex - 1
            }()
        entries[index].attempts.removeAll { $0.duration(to: now) >= Self.period }
        guard entries[index].attempts.count < Self.maximumAttempts else {
            entries.remove(at: index)
            return false
        }
        // The first attempt is made at once.
        let isFirst = entries[index].attempts.isEmpty
        entries[index].notBefore = isFirst ? now : now.advanced(by: entries[index].backOff.next())
        entries[index].attempts.append(now)
        entries[index].isLost = true
        return true
    }

    /// A port is in the graph.
    func restored(_ handle: PortHandle) {
        if let index = entries.firstIndex(where: { $0.handle === handle }) { entries[index].isLost = false }
    }

    /// The app has closed a port.
    func forget(_ handle: PortHandle) { entries.removeAll { $0.handle === handle } }
}
