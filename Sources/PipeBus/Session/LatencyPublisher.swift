// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Publishes the latency of the paths through our own ports when it has changed. Confined to the loop.
final class LatencyPublisher {
    private let connection: SessionConnection
    private let ports: PortTable
    private let receivers: ReceiverKeeper

    init(on connection: SessionConnection, _ ports: PortTable, _ receivers: ReceiverKeeper) {
        self.connection = connection
        self.ports = ports
        self.receivers = receivers
    }

    /// Changes a port's ledger, and publishes the resulting latency.
    func change(_ port: LivePort, _ body: (inout LatencyLedger) -> Void) {
        if port.latencies.change(body) { publishChange(of: port) }
    }

    /// Publishes a change at once, or later if there are too many.
    ///
    /// Not every loop is visible: an app may take sound with one node, give it with another, and pass latencies on.
    /// There a latency would go round thousands of times a second, up to the largest number. So publishing is limited
    /// to a rate.
    private func publishChange(of port: LivePort) {
        switch port.latencies.schedule(at: .now) {
        case .now: publish(port)
        case .alreadyScheduled: break
        case .later:
            let id = port.id
            connection.after(.milliseconds(50)) { [self] in
                if connection.isOpen, let port = ports[id] { publish(port) }
            }
        }
    }

    private func publish(_ port: LivePort) {
        port.latencies.publish()
        receivers.update(port)
    }
}
