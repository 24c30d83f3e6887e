// SPDX-License-Identifier: MIT
public import PipeBus

/// An app that is installed and declares ports, whether it runs or not.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct InstalledApp: Sendable, Hashable, Identifiable {
    /// The reverse-DNS id, which is the name of its desktop entry and `Peer.applicationID` while it runs.
    public let id: String
    /// The app's name in the language of the user.
    public let name: String
    /// The app's icon in the icon theme, or the absolute path of a picture.
    public let iconName: String?
    /// The ports that the app has when it runs, in the order of its entry.
    public let ports: [AppPort]
    /// Whether D-Bus starts the app.
    public let isDBusActivatable: Bool
    /// The path of the desktop entry.
    public let entryPath: String

    /// Whether a process of the app is in the graph.
    public func isRunning(in graph: GraphSnapshot) -> Bool { graph.peers.contains { $0.applicationID == id } }

    /// The ports of the graph that belong to the app.
    func presentPorts(in graph: GraphSnapshot) -> [GraphPort] {
        graph.peers.filter { $0.applicationID == id }.flatMap { graph.ports(of: $0.id) }.filter(\.isPipeBus)
    }
}
