// SPDX-License-Identifier: MIT

/// The names of a port that stay when its app or the daemon is restarted.
///
/// An app chooses its names, so two ports may have the same ones. A name that was taken from a port of the present graph designates
/// that port while it is there.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct PortName: Sendable, Hashable {
    /// The id of the port's app, such as `org.example.tone`; `nil` if it gives none.
    public let applicationID: String?
    /// The name of the port's node, such as `Tone.out`.
    public let nodeName: String
    /// The port that had the names. Another life of the daemon gives its number to another port.
    private let id: GraphPort.ID?

    /// The names of any port.
    public init(applicationID: String?, nodeName: String) {
        self.applicationID = applicationID
        self.nodeName = nodeName
        id = nil
    }

    init(of port: GraphPort, in graph: GraphSnapshot) {
        applicationID = graph.peer(of: port)?.applicationID
        nodeName = port.nodeName
        id = port.id
    }

    /// The port with these names, the oldest of several; `nil` if it is not there.
    package func port(in graph: GraphSnapshot) -> GraphPort? {
        if let id, let port = graph.port(id), matches(port, in: graph) { return port }
        return graph.ports.filter { matches($0, in: graph) }.min { $0.id < $1.id }
    }

    /// The properties of an app may come after its ports, so an id that is missing is no difference.
    private func matches(_ port: GraphPort, in graph: GraphSnapshot) -> Bool {
        guard port.nodeName == nodeName else { return false }
        guard let applicationID, let present = graph.peer(of: port)?.applicationID else { return true }
        return present == applicationID
    }
}
