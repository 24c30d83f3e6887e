// SPDX-License-Identifier: MIT

/// Names as people type them, of ports that are there at this moment. The rules are in Docs/Names.md.
extension GraphSnapshot {
    /// Finds the port that a person means by what they have typed.
    ///
    /// The first comparison that matches a port wins:
    /// 1. exact, in the forms of ``port(named:as:)``;
    /// 2. the same without regard to case;
    /// 3. the beginning of an app's name or id, of a node's name, of a title or of "app:port", without regard to case.
    ///
    /// It is for a look-up in the present graph. A program that waits for a port to appear waits for the exact name: what
    /// a person would mean by "Tone" while only "Tone 2" is there is not what the program waits for.
    public func port(typed text: String, as role: Role) -> Lookup {
        lookUp(text, first: role.kind, in: candidates(for: role)).lookup
    }

    /// Finds the filter that a person means, in the same way, among those made with PipeBus.
    package func filter(typed text: String) -> Lookup { lookUp(text, first: .filter, in: filters).lookup }

    /// Finds the two ends of a connection that a person means. Ports that are connected to each other come before others that
    /// the names fit equally well.
    ///
    /// A source that a receiver has disconnected until it answers counts as connected to it.
    package func connectedPorts(
        typed source: String, to destination: String
    ) -> (source: Lookup, destination: Lookup) {
        let sources = candidates(for: .source)
        let destinations = candidates(for: .destination)
        let from = lookUp(source, first: .sender, in: sources)
        let to = lookUp(destination, first: .receiver, in: destinations)
        guard let sourceName = from.match, let destinationName = to.match else { return (from.lookup, to.lookup) }
        let starts = ends(from.lookup, sourceName, in: sources)
        let stops = ends(to.lookup, destinationName, in: destinations)
        let pairs = connectedPairs.filter { starts.contains($0.source) && stops.contains($0.destination) }
        guard !pairs.isEmpty else { return (from.lookup, to.lookup) }

        func narrowed(_ name: NameMatch, as role: Role, _ ids: [GraphPort.ID]) -> Lookup {
            let ids = Set(ids)
            return lookUp(
                name, first: role.kind, in: (role == .source ? sources : destinations).filter { ids.contains($0.id) })
        }
        let first = Set(narrowed(sourceName, as: .source, pairs.map(\.source)).ports.map(\.id))
        let destination = narrowed(
            destinationName, as: .destination, pairs.filter { first.contains($0.source) }.map(\.destination))
        let last = Set(destination.ports.map(\.id))
        let source = narrowed(
            sourceName, as: .source,
            pairs.filter { first.contains($0.source) && last.contains($0.destination) }.map(\.source))
        return (source, destination)
    }

    private var connectedPairs: [(source: GraphPort.ID, destination: GraphPort.ID)] {
        connections.map { ($0.source, $0.destination) }
            + ports.flatMap { port in port.stalledSources.map { ($0, port.id) } }
    }

    /// The ports that a name fits in any form. The unique name of a port fits no other, whatever that one is called.
    private func ends(_ lookup: Lookup, _ name: NameMatch, in candidates: [GraphPort]) -> Set<GraphPort.ID> {
        if case .found(let port) = lookup,
            byUniqueName(name, in: candidates) != nil || name.comparison == .exact && uniqueName(of: port) == name.text
        {
            return [port.id]
        }
        return Set(candidates.filter { fits(name, $0) }.map(\.id))
    }

    /// - Returns: what was found, and by which comparison; no comparison if nothing was.
    private func lookUp(
        _ text: String, first kind: PortKind, in candidates: [GraphPort]
    ) -> (lookup: Lookup, match: NameMatch?) {
        for comparison in NameMatch.Comparison.allCases {
            guard let name = NameMatch(text, comparison) else { break }
            let lookup = lookUp(name, first: kind, in: candidates)
            if lookup != .missing { return (lookup, name) }
        }
        return (.missing, nil)
    }
}
