// SPDX-License-Identifier: MIT

/// The ports of the present graph that the matchers of a routing mean. Pure.
///
/// Only ports that have changed are looked at again, so a change of the graph costs the same however large the graph is.
struct RoutingMatches {
    struct Key: Hashable {
        var matcher: PortMatcher
        var role: RoutingRole
    }

    /// The ports with the names of one matcher or several, of which each means one by its number.
    private struct Group: Hashable {
        var identity: PortIdentity
        var role: RoutingRole
    }

    private let rules: [Key]
    /// The highest number of each group.
    private let highest: [Group: Int]
    private var graph = GraphSnapshot.empty
    private var ofRules: [Key: Set<GraphPort.ID>] = [:]
    private var ofGroups: [Group: Set<GraphPort.ID>] = [:]
    /// The port that has each number. It keeps it as long as it exists.
    private var holders: [Group: [Int: GraphPort.ID]] = [:]
    /// Where each port is.
    private var places: [GraphPort.ID: (rules: [Key], groups: [Group])] = [:]

    init(_ preset: RoutingPreset) {
        var keys: Set<Key> = []
        for connection in preset.connections {
            keys.insert(Key(matcher: connection.source, role: .source))
            keys.insert(Key(matcher: connection.destination, role: .destination))
        }
        for bypass in preset.bypasses { keys.insert(Key(matcher: bypass.filter, role: .filter)) }
        rules = keys.filter(\.matcher.isRule)
        var highest: [Group: Int] = [:]
        for key in keys {
            guard let group = Self.group(of: key) else { continue }
            highest[group] = max(highest[group] ?? 1, key.matcher.number)
        }
        self.highest = highest
    }

    private static func group(of key: Key) -> Group? {
        guard let app = key.matcher.app?.name, let node = key.matcher.node?.name else { return nil }
        return Group(identity: PortIdentity(app: app, node: node), role: key.role)
    }

    /// In the order of arrival.
    func ports(_ key: Key) -> [GraphPort.ID] {
        if let group = Self.group(of: key) { return [holders[group]?[key.matcher.number]].compactMap(\.self) }
        return (ofRules[key] ?? []).sorted()
    }

    /// Forgets all ports: another daemon gives their ids to others.
    mutating func removeAll() {
        (graph, ofRules, ofGroups, holders, places) = (.empty, [:], [:], [:], [:])
    }

    /// - Returns: whether anything may have changed.
    mutating func update(to graph: GraphSnapshot) -> Bool {
        let difference = graph.difference(from: self.graph)
        self.graph = graph
        var stale = Set((difference.ports.added + difference.ports.changed + difference.ports.removed).map(\.id))
        for peer in difference.peers.added + difference.peers.changed {
            stale.formUnion(graph.store.ports(of: peer.id))
        }
        guard !stale.isEmpty else { return false }
        var groups: Set<Group> = []
        for id in stale.sorted() {
            groups.formUnion(remove(id))
            if let port = graph.port(id) { groups.formUnion(add(port)) }
        }
        for group in groups { number(group) }
        return true
    }

    private mutating func remove(_ id: GraphPort.ID) -> [Group] {
        guard let place = places.removeValue(forKey: id) else { return [] }
        for key in place.rules { ofRules[key]?.remove(id) }
        for group in place.groups { ofGroups[group]?.remove(id) }
        return place.groups
    }

    private mutating func add(_ port: GraphPort) -> [Group] {
        let identities = PortIdentity.all(of: port, in: graph)
        let isAutomatic = graph.isAutomaticMonitor(port)
        let rules = rules.filter { key in
            guard key.role.canBePlayed(by: port), identities.contains(where: key.matcher.fits) else { return false }
            // Its app makes and ends its connections by itself.
            if isAutomatic, key.role == .source { return false }
            // An app's name means its other ports.
            return key.matcher.node != nil || port.auxiliaryOf == nil
        }
        let groups = [RoutingRole.source, .destination, .filter].filter { $0.canBePlayed(by: port) }
            .flatMap { role in identities.map { Group(identity: $0, role: role) } }.filter { highest[$0] != nil }
        guard !rules.isEmpty || !groups.isEmpty else { return [] }
        for key in rules { ofRules[key, default: []].insert(port.id) }
        for group in groups { ofGroups[group, default: []].insert(port.id) }
        places[port.id] = (rules, groups)
        return groups
    }

    /// Gives free numbers to ports that have none.
    private mutating func number(_ group: Group) {
        let members = ofGroups[group] ?? []
        var held = (holders[group] ?? [:]).filter { members.contains($0.value) }
        let holding = Set(held.values)
        var others = members.filter { !holding.contains($0) }.sorted()[...]
        for number in 1...(highest[group] ?? 1) where held[number] == nil {
            guard let next = others.popFirst() else { break }
            held[number] = next
        }
        holders[group] = held
    }
}
