// SPDX-License-Identifier: MIT

/// The connections of a graph as a routing, with the number of those that were left out.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct CapturedRouting: Sendable, Hashable {
    /// The connections, with their levels, and the bypasses of filters.
    public let preset: RoutingPreset
    /// Connections of MIDI, pictures and the like, which `connect` does not make.
    public let otherMediaCount: Int
    /// Connections of receivers that play their mix by themselves: their apps make them again.
    public let automaticCount: Int
    /// Connections that could not be made again: of a port without a name, of a port with a name longer than
    /// ``NamePattern/longestText``, and those that mix the monitors of a device with its other outputs.
    public let unrepeatableCount: Int

    /// The number of all connections that were left out.
    public var leftOutCount: Int { otherMediaCount + automaticCount + unrepeatableCount }
}

extension GraphSnapshot {
    /// Takes the connections of sound as a routing: each by the names of its ports, with its channels, and with the
    /// bypasses of the filters that are connected.
    ///
    /// They are sorted by destination, lane and source. So two routings of one graph are alike, and each source gets its
    /// lane again.
    ///
    /// - Parameter levels: the levels to save, by receiver and source; those of others are left out.
    /// - Throws: ``RoutingError`` if the graph has more than a routing may have.
    public func routing(
        levels: [GraphPort.ID: [GraphPort.ID: RoutingLevel]] = [:]
    ) throws(RoutingError) -> CapturedRouting {
        let capture = RoutingCapture(self)
        var (automatic, unrepeatable) = (0, 0)
        var found: [(place: RoutingCapture.Place, connection: RoutingConnection)] = []
        var filters: Set<GraphPort.ID> = []
        for (source, destination, links) in capture.connections {
            guard !isAutomaticMonitor(source) else {
                automatic += 1
                continue
            }
            guard let channels = capture.channels(of: links, from: source, to: destination),
                let from = capture.matcher(of: source, as: .source),
                let to = capture.matcher(of: destination, as: .destination)
            else {
                unrepeatable += 1
                continue
            }
            let level = levels[destination.id]?[source.id]
            found.append(
                (
                    capture.place(of: links, from: source, to: destination),
                    RoutingConnection(from: from, to: to, channels: channels, level: level)
                ))
            filters.formUnion([source, destination].filter(RoutingRole.filter.canBePlayed).map(\.id))
        }
        let bypasses = filters.compactMap(port).compactMap { filter in
            capture.matcher(of: filter, as: .filter).map { matcher in
                (PortIdentity(filter, in: self), RoutingBypass(matcher, isBypassed: filter.isBypassed))
            }
        }
        let others = Medium.allCases.reduce(0) { $1 == .audio ? $0 : $0 + connections(of: $1).count }
        return CapturedRouting(
            preset: try RoutingPreset(
                connections: found.sorted { $0.place < $1.place }.map(\.connection),
                bypasses: bypasses.sorted { ($0.0, $0.1.filter.number) < ($1.0, $1.1.filter.number) }.map(\.1)),
            otherMediaCount: others, automaticCount: automatic, unrepeatableCount: unrepeatable)
    }
}
