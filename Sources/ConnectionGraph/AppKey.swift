// SPDX-License-Identifier: MIT

/// A fact that two ports of one app have in common. PipeBus ports belong to one app if they share a key.
enum AppKey: Hashable {
    case client(Peer.ID)
    /// The daemon takes a process's id from its socket.
    case process(Int32)
    /// All processes of this application id, for ports that declare it.
    case application(String)
}

extension GraphSnapshot {
    /// One to three keys; none for a port of no app, or one that was not made with PipeBus.
    func appKeys(of port: GraphPort) -> [AppKey] {
        guard port.isPipeBus, let peer = peer(of: port) else { return [] }
        var keys = [AppKey.client(peer.id)]
        if let process = peer.processID, !peer.isEmulated { keys.append(.process(process)) }
        if port.isOneAppAcrossProcesses, let application = peer.applicationID { keys.append(.application(application)) }
        return keys
    }
}
