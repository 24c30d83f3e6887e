// SPDX-License-Identifier: MIT
@testable import ConnectionGraph

/// A daemon with ports that come and go, and a routing that is kept in it: what the library does for a plan, without waiting.
struct RoutingWorld {
    /// A port, by the name of its app and its node.
    struct End: Hashable, CustomStringConvertible {
        var app: String
        var node: String
        init(_ text: String) {
            let parts = text.split(separator: "/")
            (app, node) = (String(parts[0]), String(parts[1]))
        }
        var description: String { "\(app)/\(node)" }
    }

    enum Kind: CaseIterable { case sender, filter, receiver, foreignSender, foreignFilter, foreignReceiver }

    private var fixture = GraphFixture()
    private var nodes: [End: [UInt32]] = [:]
    private var clients: [String: UInt32] = [:]
    private(set) var plan: RoutingPlan
    private(set) var now = ContinuousClock.now
    /// The actions that nobody has finished yet.
    private(set) var underWay: [RoutingPlan.Action] = []
    /// All actions that there were, for people.
    private(set) var log: [String] = []
    /// Whether actions are performed at once.
    var isPrompt = true
    /// What the next actions end with instead of being performed.
    var outcomes: [RoutingPlan.Outcome] = []

    init(_ preset: RoutingPreset) { plan = RoutingPlan(preset) }

    init(_ connections: [RoutingConnection], _ bypasses: [RoutingBypass] = []) throws {
        self.init(try RoutingPreset(connections: connections, bypasses: bypasses))
    }

    private(set) var graph = GraphSnapshot.empty
    var status: RoutingStatus { plan.status }

    // MARK: The graph

    private mutating func remove(_ id: UInt32) { fixture.reducer.apply(.removed(id: id)) }

    private mutating func look() { graph = fixture.reducer.takeSnapshot() }

    mutating func add(_ name: String, _ kind: Kind, channels: Int = 1, extra: [String: String] = [:]) {
        let end = End(name)
        let client =
            clients[end.app]
            ?? fixture.client(end.app, id: end.app, extra: ["pipewire.sec.pid": "\(1000 + clients.count)"])
        clients[end.app] = client
        let hasInputs = kind != .sender && kind != .foreignSender
        let hasOutputs = kind != .receiver && kind != .foreignReceiver
        let names = (0..<channels).map { "c\($0)" }
        var extra = extra
        switch kind {
        case .sender, .filter, .receiver:
            extra[PipeBusProperty.kind] = "\(kind)"
            extra[PipeBusProperty.name] = end.node
            if kind == .receiver { extra[PipeBusProperty.laneWidth] = "\(channels)" }
        default: break
        }
        let inputs = kind == .receiver ? (0..<3).flatMap { lane in names.map { "\($0)-\(lane)" } } : names
        let node = fixture.node(
            end.node, client: client, inputs: hasInputs ? inputs : [],
            outputs: hasOutputs ? names.map { "o\($0)" } : [],
            extra: extra)
        nodes[end, default: []].append(node)
        look()
    }

    /// Removes the newest, or the oldest, port with that name, with its links.
    mutating func remove(_ name: String, oldest: Bool = false) {
        let end = End(name)
        guard let id = oldest ? nodes[end]?.removeFirst() : nodes[end]?.removeLast() else { return }
        let port = graph.ports.first { $0.nodeID == id }
        for connection in graph.connections where connection.source == port?.id || connection.destination == port?.id {
            for link in connection.links { remove(link.id) }
        }
        for channel in (port?.inputs ?? []) + (port?.outputs ?? []) { remove(channel.id) }
        remove(id)
        look()
    }

    mutating func change(_ name: String, _ properties: [String: String]) {
        guard let id = nodes[End(name)]?.last else { return }
        fixture.reducer.apply(.properties(id: id, properties))
        look()
    }

    /// Another daemon: all is gone.
    mutating func restartDaemon() {
        fixture = GraphFixture()
        (nodes, clients, underWay) = ([:], [:], [])
        look()
        plan.endSession()
    }

    func ports(_ name: String) -> [GraphPort] {
        (nodes[End(name)] ?? []).compactMap { id in graph.ports.first { $0.nodeID == id } }
    }

    func port(_ name: String) -> GraphPort { ports(name).last! }

    func isConnected(_ source: String, _ destination: String) -> Bool {
        graph.connection(from: port(source).id, to: port(destination).id) != nil
    }

    /// Links as another program makes them.
    mutating func link(_ source: String, _ destination: String, _ pairs: [(Int, Int)] = [(0, 0)]) {
        link(port(source), port(destination), pairs)
    }

    private mutating func link(_ source: GraphPort, _ destination: GraphPort, _ pairs: [(Int, Int)]) {
        for (output, input) in pairs { _ = fixture.link(source.outputs[output].id, destination.inputs[input].id) }
        look()
    }

    mutating func unlink(_ source: String, _ destination: String) {
        let links = graph.connection(from: port(source).id, to: port(destination).id)?.links ?? []
        for link in links { remove(link.id) }
        look()
    }

    mutating func unlink(_ connection: Connection) {
        for link in connection.links { remove(link.id) }
        look()
    }

    // MARK: The routing

    mutating func pass(_ time: Duration) { now += time }

    /// Updates the plan, and performs its actions if that is prompt.
    mutating func update() {
        while true {
            let actions = plan.update(to: graph, at: now)
            for action in actions { log.append(text(of: action)) }
            underWay += actions
            guard isPrompt, !underWay.isEmpty else { return }
            finishAll()
        }
    }

    /// Updates the plan until it has nothing to do, over all of its delays.
    ///
    /// - Returns: whether it came to an end.
    mutating func settle(within time: Duration = .seconds(3)) -> Bool {
        let end = now + time
        update()
        while let next = plan.nextUpdate {
            guard next <= end else { return status.isSettled }
            now = max(now, next)
            update()
        }
        return status.isSettled
    }

    mutating func finishAll() {
        while !underWay.isEmpty { finish(underWay.removeFirst()) }
    }

    mutating func finishOne(at index: Int) { finish(underWay.remove(at: index)) }

    private mutating func finish(_ action: RoutingPlan.Action) {
        let outcome = outcomes.isEmpty ? perform(action) : outcomes.removeFirst()
        plan.finished(action, outcome, at: now)
    }

    private mutating func perform(_ action: RoutingPlan.Action) -> RoutingPlan.Outcome {
        switch action {
        case .connect(let pair, let channels):
            guard let source = graph.port(pair.source), let destination = graph.port(pair.destination),
                let pairs = try? channels.resolve(outputs: source.connectableOutputs, inputs: destination.laneChannels)
            else { return .failed("The channels do not go together.", isFinal: true) }
            let present = graph.connection(from: pair.source, to: pair.destination)?.links ?? []
            let width = max(destination.laneWidth, 1)
            let used = Set(graph.connections(to: pair.destination).flatMap(\.links).map { $0.input / width })
            let lanes = destination.isPipeBus && destination.kind == .receiver ? destination.laneCount : 1
            guard
                let lane = present.first.map({ $0.input / width })
                    ?? (0..<lanes).first(where: { lanes == 1 || !used.contains($0) })
            else { return .failed("There is no free lane.", isFinal: true) }
            let missing = pairs.map { ($0.output, lane * width + $0.input) }.filter { pair in
                !present.contains { $0.output == pair.0 && $0.input == pair.1 }
            }
            guard !missing.isEmpty else { return .alreadyConnected }
            link(source, destination, missing)
            return .done
        case .setLevel(let pair, _):
            return graph.connection(from: pair.source, to: pair.destination) == nil ? .removed : .done
        case .setBypass(let filter, let isBypassed):
            guard let id = graph.port(filter)?.nodeID else { return .failed("It is gone.", isFinal: false) }
            fixture.reducer.apply(.properties(id: id, [PipeBusProperty.isBypassed: "\(isBypassed)"]))
            look()
            return .done
        }
    }

    private func text(of action: RoutingPlan.Action) -> String {
        func name(_ id: GraphPort.ID) -> String { graph.port(id)?.nodeName ?? "?" }
        return switch action {
        case .connect(let pair, _): "\(name(pair.source)) > \(name(pair.destination))"
        case .setLevel(let pair, let level): "\(name(pair.source)) at \(name(pair.destination)) \(level.volume ?? -1)"
        case .setBypass(let filter, let isBypassed): "\(name(filter)) \(isBypassed)"
        }
    }

    mutating func takeLog() -> [String] {
        defer { log = [] }
        return log
    }
}

extension RoutingConnection {
    /// "app/node > app/node", where a name may be a pattern and "-" stands for none.
    init(_ text: String, channels: ChannelPairing = .matching, level: RoutingLevel? = nil) throws {
        let ends = text.split(separator: " ")
        self.init(
            from: try PortMatcher(end: ends[0]), to: try PortMatcher(end: ends[2]), channels: channels, level: level)
    }
}

extension PortMatcher {
    init(end: some StringProtocol, number: Int = 1) throws {
        let parts = String(end).split(separator: "/").map(String.init)
        try self.init(app: parts[0] == "-" ? nil : parts[0], node: parts[1] == "-" ? nil : parts[1], number: number)
    }
}
