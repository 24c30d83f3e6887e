// SPDX-License-Identifier: MIT
import Synchronization

/// The lists of a snapshot, made on first use: few readers of a graph want all of it.
///
/// They follow from the rest of the snapshot, whose copies share them.
final class GraphLists: Sendable {
    private struct Lists {
        var peers: [Peer]?
        var ports: [GraphPort]?
        var connections: [Connection]?
        var followers: [FollowedReceiver: [GraphPort]]?
        var nodeNameCounts: NodeNameCounts?
    }

    /// A receiver, by its app and its name, whose sound a sender of the app declares to give.
    struct FollowedReceiver: Hashable {
        var peer: Peer.ID
        var name: String
    }

    private let lists = Mutex(Lists())

    func peers(of store: GraphStore) -> [Peer] {
        list(\.peers) { store.peers.map(\.value) }
    }

    func ports(of store: GraphStore) -> [GraphPort] {
        list(\.ports) {
            store.portsOfPeer.flatMap { _, ports in
                ports.compactMap { store.ports[$0.key] }.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
            }
        }
    }

    func connections(of store: GraphStore) -> [Connection] {
        list(\.connections) { store.audio.outgoing.flatMap { $0.value.map(\.value) } }
    }

    /// The senders that follow each receiver.
    func followers(of store: GraphStore) -> [FollowedReceiver: [GraphPort]] {
        list(\.followers) {
            store.pipeBusPorts.reduce(into: [:]) { found, entry in
                guard let port = store.ports[entry.key], let peer = port.peer, let name = port.followedReceiver else {
                    return
                }
                found[FollowedReceiver(peer: peer, name: name), default: []].append(port)
            }
        }
    }

    func nodeNameCounts(of store: GraphStore) -> NodeNameCounts {
        list(\.nodeNameCounts) { NodeNameCounts(of: store.ports.map(\.value)) }
    }

    private func list<List: Sendable>(_ path: WritableKeyPath<Lists, List?>, _ make: () -> List) -> List {
        lists.withLock { lists in
            if let list = lists[keyPath: path] { return list }
            let list = make()
            lists[keyPath: path] = list
            return list
        }
    }
}
