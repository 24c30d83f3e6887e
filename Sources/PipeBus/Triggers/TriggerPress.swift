// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// A press of a trigger, as its app gets it.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct TriggerPress: Sendable, Hashable {
    /// The trigger.
    public let triggerID: String
    /// The app that pressed it, as it says itself; `nil` for a program that is no PipeBus app or says nothing, and for one without a port,
    /// such as `pipebus`: only apps with ports are in the graph.
    public let peer: Peer?
    /// The names of this app's ports that the pressing app is connected to, directly or through other apps. Empty for a patchbay: then the
    /// press is meant for all.
    public let ports: [String]

    init(triggerID: String, peer: Peer?, ports: [String]) {
        self.triggerID = triggerID
        self.peer = peer
        self.ports = ports
    }
}
