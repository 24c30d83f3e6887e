// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The sources that hang and were disconnected from ports of the app, until they are connected again. They outlive the port's
/// node and the session. Confined to the loop.
final class RememberedStalls {
    struct Stall: Equatable {
        /// The app's port, by its name.
        let port: String
        let source: ConnectionDeclaration.End
        /// The source's node in the present session; `nil` if it hung in an earlier one, or if another program destroyed the node.
        fileprivate(set) var serial: UInt64?
        /// The links that each of its lanes had before, but for lanes that other sources share. Of the present session.
        let linkSummaries: [Int: LaneTable.LinkSummary]

        /// Whether a declared connection is that of the two. The id of the source's app may have been unknown at one of the times.
        func concerns(_ connection: ConnectionDeclaration) -> Bool {
            connection.destination == .own(port) && connection.source.nodeName == source.nodeName
        }

        func isSameSource(_ other: Stall) -> Bool { source == other.source && serial == other.serial }
    }

    private(set) var all: [Stall] = []

    var isEmpty: Bool { all.isEmpty }

    /// A source of a port hangs again, or for the first time.
    func begin(
        at port: String, _ source: ConnectionDeclaration.End, serial: UInt64,
        _ linkSummaries: [Int: LaneTable.LinkSummary]
    ) {
        end(serial, at: port)
        all.append(Stall(port: port, source: source, serial: serial, linkSummaries: linkSummaries))
    }

    /// A stall is over. Idempotent.
    func end(_ serial: UInt64, at port: String) { all.removeAll { $0.serial == serial && $0.port == port } }

    /// A stall is over. Idempotent.
    func end(_ stall: Stall) { if let index = all.firstIndex(of: stall) { all.remove(at: index) } }

    func end(at port: String) { all.removeAll { $0.port == port } }

    /// A source that hangs in the present session; `nil` if it does not hang at the port.
    func stall(of serial: UInt64, at port: String) -> Stall? { all.first { $0.serial == serial && $0.port == port } }

    /// The node of a source is gone, and its app is there.
    ///
    /// - Returns: the stalls as they are now.
    func nodeDisappeared(_ serial: UInt64) -> [Stall] {
        all.indices.filter { all[$0].serial == serial }.map { index in
            all[index].serial = nil
            return all[index]
        }
    }

    /// Serials mean nothing to the next daemon.
    func endSession() { for index in all.indices { all[index].serial = nil } }

    func removeAll() { all = [] }
}
