// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// What apps ask of their ports.
extension DaemonSession {
    /// - Throws: ``PipeBusError`` `closed` if the port is in the graph no more.
    func livePort(_ handle: PortHandle) throws -> LivePort {
        try checkOpen()
        guard let port = ports[handle] else {
            throw PipeBusError(.closed, "This port was closed before; add it again to go on.")
        }
        return port
    }

    func setTitle(_ title: String, of port: LivePort) throws {
        try Names.check(text: title, what: "A title")
        try setProperties([("node.description", title), ("media.name", title)], of: port)
        port.title = title
        port.declared.declaration.title = title
    }

    /// Returns when the change is published to everybody, this client included.
    func setFlag(_ flag: PortFlag, to value: Bool, of port: LivePort) async throws {
        try publishFlag(flag, value, of: port)
        try await roundTrip()
    }

    func publishFlag(_ flag: PortFlag, _ value: Bool, of port: LivePort) throws {
        try setProperties([(flag.property, value ? "true" : "false")], of: port)
        port.declared.declaration[keyPath: flag.declaration] = value
    }

    /// What was published of our own ports comes back from the daemon like everything else in the graph, before its answer to
    /// this. An app that looks at the graph next is to find there what it has just published.
    func roundTrip() async throws {
        do throws(PipeWireError) {
            try await connection.sync()
        } catch {
            throw PipeBusError(error)
        }
    }

    func setProperties(_ properties: [(key: String, value: String)], of port: LivePort) throws {
        do throws(PipeWireError) {
            for property in properties { try port.node.setProperty(property.key, to: property.value) }
        } catch {
            throw PipeBusError(error)
        }
    }
}
