// SPDX-License-Identifier: MIT

/// The chains of ports upstream and downstream of a port.
extension GraphSnapshot {
    /// All ports that a port's sound may come to: filters first, from the nearest on, then ports without outputs.
    ///
    /// A port in a loop is among its own destinations.
    ///
    /// - Complexity: O(*n* + *m*) in the number of ports and of connections, as for the other functions of chains.
    public func destinationsRecursive(of source: GraphPort.ID) -> [GraphPort] {
        let reached = reached(from: source, .downstream) { $0.mayPassOn }
        return reached.filter(\.mayPassOn) + reached.filter { !$0.mayPassOn }
    }

    /// All ports that a port's sound may come from: ports without inputs first, then filters, the nearest last.
    public func sourcesRecursive(of destination: GraphPort.ID) -> [GraphPort] {
        let reached = reached(from: destination, .upstream) { $0.mayPassOn }
        return reached.filter { !$0.mayPassOn } + reached.filter(\.mayPassOn).reversed()
    }

    /// The destinations of a port's sound, in a few words for a person: the titles of the ends of its chains, and of
    /// devices that play it.
    ///
    /// Empty for a port without connections.
    public func destinationsTitle(of source: GraphPort.ID) -> String { Self.title(ends(of: source)) }

    /// The origins of a port's sound, in a few words for a person.
    public func sourcesTitle(of destination: GraphPort.ID) -> String { Self.title(origins(of: destination)) }

    /// The ends of a port's chains; all ports of them if they have no end.
    func ends(of source: GraphPort.ID) -> [GraphPort] {
        let all = destinationsRecursive(of: source)
        let ends = all.filter { $0.isOutputDevice || destinations(of: $0.id).isEmpty }
        return ends.isEmpty ? all : ends
    }

    /// The origins of a port's chains; all ports of them if they have no origin.
    func origins(of destination: GraphPort.ID) -> [GraphPort] {
        let all = sourcesRecursive(of: destination)
        let origins = all.filter { sources(of: $0.id).isEmpty }
        return origins.isEmpty ? all : origins
    }

    /// Whether a port's sound is recorded while it is sent, by the port or upstream of it.
    ///
    /// Played near the microphone, such sound causes acoustic feedback.
    public func isFromLiveSource(_ port: GraphPort.ID) -> Bool {
        self.port(port)?.isLiveSource == true || sourcesRecursive(of: port).contains(where: \.isLiveSource)
    }

    private static func title(_ ports: [GraphPort]) -> String {
        let titles = ports.map(\.title)
        switch titles.count {
        case 0: return ""
        case 1: return titles[0]
        case 2: return "\(titles[0]) and \(titles[1])"
        case 3: return "\(titles[0]), \(titles[1]) and \(titles[2])"
        default: return "\(titles[0]), \(titles[1]) and \(titles.count - 2) more"
        }
    }

    // MARK: Walking

    enum Direction { case upstream, downstream }

    /// The ports that are reached over connections, nearest first, each once. The start is among them only if a path
    /// leads back to it.
    ///
    /// - Parameter passes: whether the path continues through a port.
    func reached(
        from start: GraphPort.ID, _ direction: Direction, through passes: (GraphPort) -> Bool
    ) -> [GraphPort] {
        var found: [GraphPort] = []
        var seen: Set<GraphPort.ID> = []
        var next = neighbours(of: start, direction)
        while !next.isEmpty {
            let fresh = next.filter { seen.insert($0).inserted }.compactMap { port($0) }
            found += fresh
            next = fresh.filter(passes).flatMap { neighbours(of: $0.id, direction) }
        }
        return found
    }

    private func neighbours(of port: GraphPort.ID, _ direction: Direction) -> [GraphPort.ID] {
        switch direction {
        case .downstream: connections(from: port).map(\.destination)
        case .upstream: connections(to: port).map(\.source)
        }
    }
}
