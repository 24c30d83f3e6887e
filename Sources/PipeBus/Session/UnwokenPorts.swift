// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Restarts nodes of the app that run, as they and the daemon say, and that the daemon does not wake. Confined to the loop.
///
/// PipeWire 1.4 may lose a node so: the app was stopped, and meanwhile the node of one of its sources was destroyed and the length
/// of cycles changed. A node that is made inactive and active again runs.
final class UnwokenPorts {
    /// The time without a cycle. A shorter one may be that of a start.
    static let limit: Duration = .seconds(1)

    /// The time between two restarts of a port.
    private static let pause: Duration = .seconds(2)

    private let connection: SessionConnection
    private let ports: PortTable
    /// The time of each port's last restart, by serial.
    private var restarts: [UInt64: SuspendingClock.Instant] = [:]

    init(on connection: SessionConnection, _ ports: PortTable) {
        self.connection = connection
        self.ports = ports
    }

    /// Restarts those of some ports that a report shows as not woken.
    ///
    /// - Parameter held: ports that have got no cycle for ``limit``.
    func restart(_ held: [LivePort], in report: ProfilerReport) {
        let limit = Int64(Self.limit / .nanoseconds(1))
        let unwoken = report.unwoken(among: Set(held.map(\.nodeID)), for: limit)
        let now = SuspendingClock.now
        restarts = restarts.filter { now - $0.value < Self.pause }
        for port in held where unwoken.contains(port.nodeID) && restarts[port.id.serial] == nil {
            restarts[port.id.serial] = now
            restart(port.id)
        }
    }

    private func restart(_ id: GraphPort.ID) {
        try? ports[id]?.node.setActive(false)
        // The daemon has paused the node before it answers.
        connection.afterRoundTrip { [weak self] in try? self?.ports[id]?.node.setActive(true) }
    }
}
