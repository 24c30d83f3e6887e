// SPDX-License-Identifier: MIT

/// Decides what is to be done for a routing: the graph in, actions out. Pure.
///
/// Each connection is made once while its two ports are there. Docs/Patchbay.md has the table of what happens then.
package struct RoutingPlan: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Pair: Hashable, Sendable {
        package let source: GraphPort.ID
        package let destination: GraphPort.ID
    }

    package enum Action: Hashable, Sendable {
        case connect(Pair, ChannelPairing)
        case setLevel(Pair, RoutingLevel)
        case setBypass(GraphPort.ID, Bool)
    }

    /// What has become of an action.
    package enum Outcome: Hashable, Sendable {
        case done
        /// The two were connected already, or by another program at the same time.
        case alreadyConnected
        /// Another program has removed the links while they were being made.
        case removed
        /// - Parameter isFinal: whether another attempt would fail likewise, as long as the ports have the same channels.
        case failed(String, isFinal: Bool)
    }

    /// Two ports by the names that they have again after a restart.
    struct Names: Hashable {
        var source: PortIdentity
        var destination: PortIdentity
    }

    /// Links that are gone for so long, while both ports are there, were removed by somebody. Links go before their port does.
    static let removalDelay: Duration = .milliseconds(500)
    /// Links of which some are missing are left to the program that makes them for so long.
    static let partDelay: Duration = .milliseconds(500)
    /// Pairs that a rule leaves out are looked at again after this time.
    static let recheckDelay: Duration = .seconds(1)
    /// The most actions at a time.
    static let mostActions = 16
    /// The most removals that are remembered. Beyond it the oldest is forgotten.
    static let mostRemovals = 4096

    let preset: RoutingPreset
    var matches: RoutingMatches
    var graph = GraphSnapshot.empty
    /// In the order of the routing.
    var pairs: [Pair] = []
    var records: [Pair: RoutingRecord] = [:]
    var bypassed: [GraphPort.ID] = []
    var bypasses: [GraphPort.ID: RoutingRecord] = [:]
    /// How often somebody has removed a connection, whatever ports have had these names.
    var removals: [Names: Int] = [:]
    var removalOrder: [Names] = []
    /// The graph when all is made that is being made; `nil` until somebody asks.
    var future: GraphSnapshot?
    var shownNames: [GraphPort.ID: String] = [:]
    var actionCount = 0
    package private(set) var isComplete = true
    /// Whether no graph of the present session was seen yet.
    private(set) var isNew = true

    package init(_ preset: RoutingPreset) {
        self.preset = preset
        matches = RoutingMatches(preset)
    }

    /// The daemon is gone, and with it all ports. What is under way is forgotten.
    package mutating func endSession() {
        matches.removeAll()
        graph = .empty
        (pairs, records, bypassed, bypasses, actionCount) = ([], [:], [], [:], 0)
        (isNew, isComplete) = (true, true)
    }

    /// - Parameter graph: that of the same session as the graphs before it, unless ``endSession()`` came between.
    /// - Returns: what to do now, in order. Each must be reported to ``finished(_:_:at:)``.
    package mutating func update(to graph: GraphSnapshot, at now: Instant) -> [Action] {
        self.graph = graph
        future = nil
        if matches.update(to: graph) || isNew {
            isNew = false
            findPairs(at: now)
            findFilters(at: now)
            findNames()
        }
        var actions: [Action] = []
        for pair in pairs { step(pair, at: now, &actions) }
        for filter in bypassed { stepBypass(of: filter, at: now, &actions) }
        return actions
    }

    // MARK: What is wanted

    private mutating func findPairs(at now: Instant) {
        var wanted: [Pair] = []
        var seen: [Pair: Int] = [:]
        var examined = 0
        isComplete = true
        search: for (index, connection) in preset.connections.enumerated() {
            let destinations = matches.ports(.init(matcher: connection.destination, role: .destination))
            guard !destinations.isEmpty else { continue }
            for source in matches.ports(.init(matcher: connection.source, role: .source)) {
                for destination in destinations {
                    examined += 1
                    let pair = Pair(source: source, destination: destination)
                    // A rule never means a port and itself.
                    guard seen[pair] == nil, source != destination || !connection.isRule else { continue }
                    guard wanted.count < RoutingPreset.mostConnections, examined < 16 * RoutingPreset.mostConnections
                    else {
                        isComplete = false
                        break search
                    }
                    wanted.append(pair)
                    seen[pair] = index
                }
            }
        }
        pairs = wanted
        for pair in records.keys where seen[pair] == nil { forget(pair) }
        for pair in wanted where records[pair] == nil {
            records[pair] = RoutingRecord(index: seen[pair] ?? 0, phase: .due(now))
        }
    }

    private mutating func forget(_ pair: Pair) {
        guard let record = records.removeValue(forKey: pair) else { return }
        if case .making = record.phase { actionCount -= 1 }
        if case .underWay = record.level { actionCount -= 1 }
    }

    private mutating func findFilters(at now: Instant) {
        var wanted: [GraphPort.ID: Int] = [:]
        bypassed = []
        for (index, bypass) in preset.bypasses.enumerated() {
            for filter in matches.ports(.init(matcher: bypass.filter, role: .filter)) where wanted[filter] == nil {
                wanted[filter] = index
                bypassed.append(filter)
            }
        }
        for (filter, record) in bypasses where wanted[filter] == nil {
            if case .underWay = record.level { actionCount -= 1 }
            bypasses[filter] = nil
        }
        for filter in bypassed where bypasses[filter] == nil {
            bypasses[filter] = RoutingRecord(index: wanted[filter] ?? 0, phase: .connected, level: .due(now))
        }
    }

    // MARK: Time

    /// The time at which to update again although nothing has happened; `nil` if only an event can change anything.
    package var nextUpdate: Instant? {
        var times: [Instant] = []
        // Beyond the limit an action waits for the end of another one.
        let canAct = actionCount < Self.mostActions
        for record in records.values {
            switch record.phase {
            case .due(let time): if canAct { times.append(time) }
            case .partial(let since): if canAct { times.append(since + Self.partDelay) }
            case .lost(let since): times.append(since + Self.removalDelay)
            case .failed(_, let retry?), .leftOut(_, let retry?): times.append(retry)
            case .connected: if case .due(let time) = record.level, canAct { times.append(time) }
            case .making, .removed, .stopped, .failed, .different, .leftOut: break
            }
        }
        for record in bypasses.values { if case .due(let time) = record.level, canAct { times.append(time) } }
        return times.min()
    }
}
