// SPDX-License-Identifier: MIT

/// Connections that should be there, with levels and bypasses: what a person has set up, to be had again.
///
/// It holds no ids of the present graph, but names. So it is good for another day, another daemon, and apps in another order.
/// ``GraphSnapshot/routing(levels:)`` takes one from a graph; `BusClient.keep` makes it and keeps it. As text it is JSON, see
/// ``json``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct RoutingPreset: Sendable, Hashable {
    /// The version of the format that is written, and the only one that is read.
    public static let version = 1
    /// The most connections.
    public static let mostConnections = 1024
    /// The most bypasses.
    public static let mostBypasses = 1024
    /// The most connections that have a `*` in a name.
    public static let mostPatterns = 64
    /// The most pairs of channels in all connections together.
    public static let mostChannelPairs = 4096
    /// All names together, in bytes.
    public static let longestNames = 1 << 20
    /// The most states of apps.
    public static let mostStates = 256
    /// All states of apps together, in bytes.
    public static let largestStates = 64_000_000
    /// The longest text of a routing, in bytes.
    public static let longestText = 96 << 20

    /// The connections. Of two that mean the same one the first counts.
    public let connections: [RoutingConnection]
    /// The bypasses. Of two that mean the same filter the first counts.
    public let bypasses: [RoutingBypass]
    /// What apps have given of their state. Of two of one app the first counts.
    public let states: [RoutingState]

    /// A routing of some connections.
    ///
    /// - Throws: ``RoutingError`` for a level out of range, for an empty list of channels, and beyond the limits above.
    public init(connections: [RoutingConnection], bypasses: [RoutingBypass] = [], states: [RoutingState] = [])
        throws(RoutingError)
    {
        self.connections = connections
        self.bypasses = bypasses
        self.states = states
        try check()
    }

    private func check() throws(RoutingError) {
        try Self.check(connections.count, atMost: Self.mostConnections, "connections", at: "connections")
        try Self.check(bypasses.count, atMost: Self.mostBypasses, "bypasses", at: "bypasses")
        try Self.check(states.count, atMost: Self.mostStates, "states", at: "states")
        try Self.check(
            states.reduce(0) { $0 + $1.bytes.count }, atMost: Self.largestStates, "bytes of states", at: "states")
        var names = 0
        var pairs = 0
        for (index, connection) in connections.enumerated() {
            let place = "connections[\(index)]"
            try connection.level?.check(at: "\(place).level")
            let channels = connection.channels.names
            if case .pairs(let list) = connection.channels.form {
                guard !list.isEmpty else {
                    throw RoutingError(
                        at: "\(place).channels", "there is no pair of channels; leave it out to connect all channels")
                }
                pairs += list.count
            }
            for name in channels where !ChannelPairing.isName(name) {
                throw RoutingError(at: "\(place).channels", ChannelPairing.nameProblem)
            }
            names += connection.source.size + connection.destination.size
            names += channels.reduce(0) { $0 + $1.utf8.count }
        }
        names += bypasses.reduce(0) { $0 + $1.filter.size }
        try Self.check(pairs, atMost: Self.mostChannelPairs, "pairs of channels", at: "connections")
        try Self.check(
            connections.count { $0.source.hasWildcard || $0.destination.hasWildcard }, atMost: Self.mostPatterns,
            "connections with a * in a name", at: "connections")
        try Self.check(names, atMost: Self.longestNames, "bytes of names", at: "connections")
    }

    private static func check(_ count: Int, atMost most: Int, _ what: String, at place: String) throws(RoutingError) {
        guard count <= most else {
            throw RoutingError(at: place, "there are \(count) \(what); at most \(most) are allowed")
        }
    }
}

extension PortMatcher {
    fileprivate var size: Int { (app?.text.utf8.count ?? 0) + (node?.text.utf8.count ?? 0) }

    var hasWildcard: Bool { app.map { $0.name == nil } ?? false || node.map { $0.name == nil } ?? false }
}

extension ChannelPairing {
    fileprivate var names: [String] {
        switch form {
        case .matching: []
        case .downmix(let input): [input].compactMap(\.self)
        case .single(let output, let input): [output, input].compactMap(\.self)
        case .pairs(let pairs): pairs.flatMap { [$0.output, $0.input] }
        }
    }

    /// Whether a text may designate a channel of some port.
    static func isName(_ text: String) -> Bool {
        1...300 ~= text.utf8.count && text.unicodeScalars.allSatisfy(\.isPrintable)
    }

    static let nameProblem = "a channel has 1 to 300 bytes that can be printed, such as FL, output_FL or 1"
}
