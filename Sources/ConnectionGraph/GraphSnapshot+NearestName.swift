// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// The number of ports that are looked through, so that an error costs little in a graph of any size.
    private static let mostPorts = 2000
    /// The longest name that is looked at, in bytes. Hostile names may be far longer.
    private static let longestName = 300

    /// The name that was probably meant by one that no port has in a role: one that begins so, or else the nearest to it.
    ///
    /// - Returns: a name that finds one port with ``port(named:as:)``; `nil` if none is near.
    package func nearestName(to text: String, as role: Role) -> String? {
        nearestName(
            to: text, typed: port(typed: text, as: role), among: candidates(for: role),
            lookUp: { port(named: $0, as: role) })
    }

    /// The same among filters made with PipeBus.
    package func nearestFilterName(to text: String) -> String? {
        nearestName(to: text, typed: filter(typed: text), among: filters, lookUp: { filter(named: $0) })
    }

    private func nearestName(
        to text: String, typed: Lookup, among candidates: [GraphPort], lookUp: (String) -> Lookup
    ) -> String? {
        if case .found(let port) = typed { return uniqueName(of: port) }
        var owners: [String: GraphPort] = [:]
        var names: [String] = []
        for port in candidates.prefix(Self.mostPorts) {
            let forms = [peer(of: port)?.name, port.nodeName, port.title].compactMap(\.self) + paths(of: port)
            for name in forms where name.utf8.count <= Self.longestName && owners[name] == nil {
                owners[name] = port
                names.append(name)
            }
        }
        guard let name = EditDistance.nearest(to: text, among: names), let port = owners[name] else { return nil }
        let isTypable = !name.hasPrefix("-") && !name.contains("\"")
        if isTypable, case .found = lookUp(name) { return name }
        return uniqueName(of: port)
    }
}
