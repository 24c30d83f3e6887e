// SPDX-License-Identifier: MIT
import ConnectionGraph

/// From what the app asked for to a graph in which it is there.
extension DaemonSession {
    /// Makes everything that is declared: nodes with their order, title, flags, latency and bypass, and then connections.
    /// Levels come to each source when it is connected. A connection of which an end is not there is left out.
    ///
    /// The order matters. An order's link that is made after an audio loop becomes the link that waits, and audio that comes
    /// before all of its ports is heard by some of them only.
    func rebuild() async throws {
        // First, so that whoever sees a receiver can ask for its levels.
        if declared.ports.contains(where: { $0.declaration.kind == .receiver }) { await share() }
        // A port that the app closes meanwhile is gone, and no error.
        for port in declared.ports where declared.contains(port.handle) {
            do {
                _ = try await add(port)
            } catch  where !declared.contains(port.handle) {}
        }
        for connection in declared.connections { try await remake(connection) }
    }

    private func remake(_ connection: ConnectionDeclaration) async throws {
        guard let source = port(at: connection.source), let destination = port(at: connection.destination) else {
            return
        }
        do {
            _ = try await connect(.id(source), to: .id(destination), lingers: false, timeout: .seconds(10))
        } catch let error as PipeBusError where error.code == .alreadyConnected {
            // Somebody else was quicker.
        }
    }

    /// The oldest that fits.
    private func port(at end: ConnectionDeclaration.End) -> GraphPort.ID? {
        switch end {
        case .own(let name): ports[name]?.id
        case .other(let applicationID, let nodeName):
            model.snapshot.ports
                .filter { $0.nodeName == nodeName && model.snapshot.peer(of: $0)?.applicationID == applicationID }
                .map(\.id).min()
        }
    }
}
