// SPDX-License-Identifier: MIT

/// All that one name stands for, whatever the ports do.
extension GraphSnapshot {
    /// The ports that one name stands for.
    package enum NamedPorts: Hashable, Sendable {
        /// One port, or all ports of one app.
        case found([GraphPort])
        case missing
        /// A port of each of several ports and apps that fit equally well.
        case ambiguous([GraphPort])
    }

    /// Finds the port that a person means, or all ports of the app that is meant.
    ///
    /// The comparisons and their order are those of ``port(typed:as:)``; an app's name stands for all of its ports. Where several ports or
    /// apps fit, one that has connections is meant, if it is the only one.
    package func ports(typed text: String) -> NamedPorts {
        for comparison in NameMatch.Comparison.allCases {
            guard let name = NameMatch(text, comparison) else { break }
            let groups = groups(named: name)
            guard groups.count > 1 else {
                if let only = groups.first { return .found(only) }
                continue
            }
            let connected = groups.filter { $0.contains(where: isConnected) }
            if connected.count == 1 { return .found(connected[0]) }
            return .ambiguous(groups.compactMap(\.first))
        }
        return .missing
    }

    private func isConnected(_ port: GraphPort) -> Bool {
        !connections(from: port.id).isEmpty || !sources(of: port.id).isEmpty || !port.stalledSources.isEmpty
    }

    /// Single ports, and the ports of each app, that a name fits in the first form that any does.
    private func groups(named name: NameMatch) -> [[GraphPort]] {
        if let port = byUniqueName(name, in: ports) { return [[port]] }
        // An app may have several clients of one name; a process may have those of several apps.
        let apps = peersByProcess.flatMap { peers in
            Dictionary(grouping: peers.filter { isNamed($0, name) }, by: \.name).values
                .sorted { $0[0].id.serial < $1[0].id.serial }
                .map { clients in clients.flatMap { ports(of: $0.id) } }
        }.filter { !$0.isEmpty }
        func others(_ fits: (GraphPort) -> Bool) -> [[GraphPort]] { ports.filter(fits).map { [$0] } }
        guard name.comparison != .prefix else {
            let owned = Set(apps.joined().map(\.id))
            return apps
                + others { port in
                    !owned.contains(port.id)
                        && (name(port.nodeName) || name(port.title) || paths(of: port).contains { name($0) })
                }
        }
        for groups in [
            others { name($0.nodeName) }, others { port in paths(of: port).contains { name($0) } }, apps,
            others { name($0.title) },
        ] where !groups.isEmpty { return groups }
        return []
    }
}
