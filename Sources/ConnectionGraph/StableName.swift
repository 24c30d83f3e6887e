// SPDX-License-Identifier: MIT

/// The name of a port that survives restarts, unique in its graph.
struct StableName: Hashable, Comparable {
    /// 1: `app` is an application id; 2: it is an app's name; 0: the daemon's own port.
    private let appKind: UInt8
    private let app: String
    private let node: String
    /// The number of ports with these names that came before.
    private var number: UInt64 = 0

    private init(of port: GraphPort, _ peer: Peer?) {
        appKind = peer == nil ? 0 : peer?.applicationID == nil ? 2 : 1
        app = peer.map { $0.applicationID ?? $0.name } ?? ""
        node = port.nodeName
    }

    /// The names of all ports of a graph, in the order of its ports.
    static func all(in graph: GraphSnapshot) -> [StableName] {
        let ports = graph.ports
        var names = ports.map { StableName(of: $0, graph.peer(of: $0)) }
        var counts: [StableName: UInt64] = [:]
        for place in names.indices.sorted(by: { ports[$0].id < ports[$1].id }) {
            let name = names[place]
            names[place].number = counts[name, default: 0]
            counts[name, default: 0] += 1
        }
        return names
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.appKind, left.app, left.node, left.number) < (right.appKind, right.app, right.node, right.number)
    }

    /// The hash of names in order; ``Pipeline/ID`` has its format.
    static func hash(of names: some Sequence<StableName>) -> UInt64 {
        var hash = FNV1a()
        for name in names {
            hash.add(CollectionOfOne(name.appKind))
            hash.add(name.app)
            hash.add(name.node)
            hash.add(name.number)
        }
        return hash.value
    }
}
