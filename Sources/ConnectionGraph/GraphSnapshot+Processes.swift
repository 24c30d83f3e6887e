// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// The peers, grouped by process, in order of arrival: an app may have several clients, such as one of JACK and one of its own.
    ///
    /// The daemon saw each process at its socket, and no app can forge that. It does not see the processes behind PulseAudio
    /// emulation, so each such peer is by itself.
    public var peersByProcess: [[Peer]] {
        var places: [Int32: Int] = [:]
        var groups: [[Peer]] = []
        for peer in peers {
            if let process = peer.processID, !peer.isEmulated {
                if let place = places[process] {
                    groups[place].append(peer)
                    continue
                }
                places[process] = groups.count
            }
            groups.append([peer])
        }
        return groups
    }

    /// The ports of a peer, in the order in which it added them.
    public func ports(of peer: Peer.ID) -> [GraphPort] {
        store.ports(of: peer).compactMap { port($0) }.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
    }
}
