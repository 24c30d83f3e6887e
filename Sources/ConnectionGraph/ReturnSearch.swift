// SPDX-License-Identifier: MIT

/// Finds the connections that bring an app its own sound although this is not allowed; see
/// ``GraphSnapshot/forbiddenReturns()``.
///
/// The ports made with PipeBus and the connections between them are numbered: no other port is of an app's own, and none is known to pass
/// sound on.
struct ReturnSearch {
    private let ports: [GraphPort]
    /// Whether a port belongs to an app.
    private let hasApp: [Bool]
    /// Those of each port's app keys that can be the reason for a return, by number.
    private let keys: [[Int]]
    private let keyCount: Int
    /// The connections, by destination.
    private let connections: [Connection]
    private let sources: [Int]
    private let destinations: [Int]
    /// The connections to each port.
    private let incoming: [Range<Int>]

    /// Whether each connection brings nothing any more.
    private var isSilenced: [Bool]
    private var silentLanes: [Int: Set<Int>] = [:]
    /// The search in which a port was reached last.
    private var reachedIn: [Int]
    private var searches = 0

    init(_ graph: GraphSnapshot) {
        let ports = graph.store.pipeBusPorts.compactMap { graph.port($0.value) }
        var places: [UInt64: Int] = [:]
        for (place, port) in ports.enumerated() { places[port.id.serial] = place }
        var connections: [Connection] = []
        var sources: [Int] = []
        var destinations: [Int] = []
        let incoming = ports.indices.map { destination -> Range<Int> in
            let first = connections.count
            for connection in graph.connections(to: ports[destination].id) {
                guard let source = places[connection.source.serial] else { continue }
                connections.append(connection)
                sources.append(source)
                destinations.append(destination)
            }
            return first..<connections.count
        }
        self.ports = ports
        self.incoming = incoming
        self.connections = connections
        self.sources = sources
        self.destinations = destinations
        let all = ports.map { graph.appKeys(of: $0) }
        hasApp = all.map { !$0.isEmpty }
        (keys, keyCount) = Self.decisiveKeys(all, of: ports)
        isSilenced = Array(repeating: false, count: connections.count)
        reachedIn = Array(repeating: 0, count: ports.count)
    }

    /// The keys of ports between which a connection may be forbidden.
    ///
    /// A filter that shares its app with no other port hears itself only in a loop, which is found without a key.
    private static func decisiveKeys(_ all: [[AppKey]], of ports: [GraphPort]) -> (keys: [[Int]], count: Int) {
        var holders: [AppKey: (count: Int, allAllow: Bool, allPassOn: Bool)] = [:]
        for (port, keys) in zip(ports, all) {
            for key in keys {
                let others = holders[key] ?? (0, true, true)
                holders[key] = (
                    others.count + 1, others.allAllow && port.allowsConnectionsToSelf,
                    others.allPassOn && port.isTransparent
                )
            }
        }
        var numbers: [AppKey: Int] = [:]
        for (key, holders) in holders where !holders.allAllow && (holders.count > 1 || !holders.allPassOn) {
            numbers[key] = numbers.count
        }
        return (all.map { $0.compactMap { numbers[$0] } }, numbers.count)
    }

    /// Youngest first.
    mutating func returns() -> [Connection] {
        var found: [Connection] = []
        // What is silenced takes paths away and adds none. So a connection that is allowed now stays allowed.
        let candidates = candidates().map { (serial: connections[$0].youngestSerial, connection: $0) }
            .sorted { ($1.serial, $0.connection) < ($0.serial, $1.connection) }
        for (_, candidate) in candidates where !isSilenced[candidate] {
            guard found.isEmpty || isForbidden(candidate) else { continue }
            found.append(connections[candidate])
            silence(by: candidate)
        }
        return found
    }

    /// A connection that is silenced because of a return brings nothing back.
    private mutating func silence(by found: Int) {
        let destination = destinations[found]
        let lanes = silentLanes[destination, default: []].union(lanes(of: found))
        silentLanes[destination] = lanes
        for connection in incoming[destination] where lanes.isSuperset(of: self.lanes(of: connection)) {
            isSilenced[connection] = true
        }
    }

    private func lanes(of connection: Int) -> Set<Int> {
        ports[destinations[connection]].lanes(of: connections[connection])
    }

    // MARK: All at once

    /// The connections to a port through which its sound comes.
    private func inlets(of port: Int) -> Range<Int> { ports[port].isTransparent ? incoming[port] : 0..<0 }

    /// The connections that are forbidden while none is silenced.
    private func candidates() -> [Int] {
        // Upstream components come first.
        let components = StrongComponents(count: ports.count, edges: inlets, targets: sources)
        let component = components.component
        var isForbidden = connections.indices.map { connection in
            let destination = destinations[connection]
            return component[sources[connection]] == component[destination] && hasApp[destination]
                && !ports[destination].allowsConnectionsToSelf
        }
        for first in stride(from: 0, to: keyCount, by: 64) {
            /// The keys of all origins of a component's sound, and of those that allow no connection to their app.
            var all = [UInt64](repeating: 0, count: ports.count)
            var strict = all
            let own = keys.map { keys in
                keys.reduce(into: 0 as UInt64) { if first..<first + 64 ~= $1 { $0 |= 1 << UInt64($1 - first) } }
            }
            for port in components.order {
                let place = component[port]
                all[place] |= own[port]
                if !ports[port].allowsConnectionsToSelf { strict[place] |= own[port] }
                for inlet in inlets(of: port) {
                    all[place] |= all[component[sources[inlet]]]
                    strict[place] |= strict[component[sources[inlet]]]
                }
            }
            for connection in connections.indices {
                let destination = destinations[connection]
                let origins = ports[destination].allowsConnectionsToSelf ? strict : all
                if origins[component[sources[connection]]] & own[destination] != 0 { isForbidden[connection] = true }
            }
        }
        return connections.indices.filter { isForbidden[$0] }
    }

    // MARK: One by one

    /// Whether a connection is forbidden without those that are silenced.
    private mutating func isForbidden(_ connection: Int) -> Bool {
        searches += 1
        let destination = destinations[connection]
        var waiting = [sources[connection]]
        reachedIn[sources[connection]] = searches
        while let port = waiting.popLast() {
            if mayNotConnect(port, destination) { return true }
            for inlet in inlets(of: port) where !isSilenced[inlet] && reachedIn[sources[inlet]] != searches {
                reachedIn[sources[inlet]] = searches
                waiting.append(sources[inlet])
            }
        }
        return false
    }

    private func mayNotConnect(_ source: Int, _ destination: Int) -> Bool {
        guard !ports[source].allowsConnectionsToSelf || !ports[destination].allowsConnectionsToSelf else {
            return false
        }
        return source == destination ? hasApp[source] : keys[source].contains(where: keys[destination].contains)
    }
}

extension GraphPort {
    /// The lanes of this port that a connection to it takes.
    func lanes(of connection: Connection) -> Set<Int> {
        let width = max(laneWidth, 1)
        return Set(connection.links.map { $0.input / width })
    }
}
