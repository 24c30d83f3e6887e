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

    private func list<Element: Sendable>(
        _ path: WritableKeyPath<Lists, [Element]?>, _ make: () -> [Element]
    ) -> [Element] {
        lists.withLock { lists in
            if let list = lists[keyPath: path] { return list }
            let list = make()
            lists[keyPath: path] = list
            return list
        }
    }
}
