// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Tells the app that a source that hung is connected again, whichever way that came about, also in a later session. Confined to
/// the loop.
final class RestoredSources {
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let notices: NoticeLog

    init(_ model: GraphModel, _ declared: Declarations, _ ports: PortTable, notices: NoticeLog) {
        self.model = model
        self.declared = declared
        self.ports = ports
        self.notices = notices
    }

    /// A source that hung in this session is connected again.
    func connected(_ source: GraphPort.ID, to port: LivePort) {
        guard let stall = declared.stalls.stall(of: source.serial, at: port.name) else { return }
        end(stall, of: source, at: port)
    }

    /// Looks for sources that were connected while their port or the session was made again, and forgets those that nobody connects
    /// any more.
    func update() {
        for stall in declared.stalls.all {
            guard let port = ports[stall.port] else { continue }
            if let serial = stall.serial, port.links.stall(of: serial) != nil { continue }
            if let source = connectedSource(of: stall, at: port) {
                end(stall, of: source, at: port)
            } else if !isToBeRestored(stall) {
                declared.stalls.end(stall)
            }
        }
    }

    private func connectedSource(of stall: RememberedStalls.Stall, at port: LivePort) -> GraphPort.ID? {
        let snapshot = model.snapshot
        let sources = snapshot.connections.filter { $0.destination == port.id }.map(\.source)
        guard let serial = stall.serial else {
            return sources.first { snapshot.port($0)?.nodeName == stall.source.nodeName }
        }
        return sources.first { $0.serial == serial }
    }

    private func isToBeRestored(_ stall: RememberedStalls.Stall) -> Bool {
        declared.connections.contains(where: stall.concerns)
            || declared.foreignConnections.contains { stall.concerns($0.ends) }
    }

    /// One notice for each source, when it is connected to all ports that it was disconnected from.
    private func end(_ stall: RememberedStalls.Stall, of source: GraphPort.ID, at port: LivePort) {
        declared.stalls.end(stall)
        guard !declared.stalls.all.contains(where: stall.isSameSource) else { return }
        let title = model.title(of: source) ?? "A source"
        notices.post(
            Notice(
                kind: .sourceRestored, port: port.name, source: source,
                message: "\(title) answers again, and is connected to \(port.title) again."))
    }
}
