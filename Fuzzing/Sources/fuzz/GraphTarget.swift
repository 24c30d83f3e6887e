// SPDX-License-Identifier: MIT
@testable import ConnectionGraph

/// The daemon's events, with properties that other processes chose.
func fuzzGraph(_ input: Input) {
    var reducer = GraphReducer()
    var present: [UInt32: GraphEvent.Kind] = [:]
    /// Its snapshots are taken now and then, those of `reducer` after each event.
    var rare = reducer
    var count = 0
    while !input.isAtEnd, count < 200 {
        count += 1
        let event = input.graphEvent()
        let own: Set<UInt32> = [1, 2]
        let surroundings = Surroundings(of: own, in: reducer)
        _ = surroundings.concerns(event, in: reducer)
        reducer.apply(event)
        switch event {
        case .added(let id, let kind, _): present[id] = kind
        case .removed(let id): present[id] = nil
        case .properties: break
        }
        let snapshot = reducer.takeSnapshot()
        rare.apply(event)
        checkObjects(of: reducer, present)
        checkSnapshot(snapshot, present)
        if count % 7 == 0 { check(rare.takeSnapshot() == snapshot, "the graph depends on when it is looked at") }
    }
    check(rare.takeSnapshot() == reducer.takeSnapshot(), "the graph depends on when it is looked at")
    checkRules(reducer.snapshot)
    checkQuestions(to: reducer, present)
    for id in present.keys { reducer.apply(.removed(id: id)) }
    check(reducer.isEmpty, "something is kept of objects that are gone")
    check(reducer.takeSnapshot() == GraphSnapshot(revision: reducer.revision), "something stays in the graph")
    check(reducer.published.isEmpty, "something is kept of a graph that is gone")
}

/// What is kept is bounded by the objects that exist, not by the events.
private func checkObjects(of reducer: GraphReducer, _ present: [UInt32: GraphEvent.Kind]) {
    func count(_ kind: GraphEvent.Kind) -> Int { present.values.count { $0 == kind } }
    check(reducer.clients.count <= count(.client), "more clients than were added")
    check(reducer.nodes.count <= count(.node), "more nodes than were added")
    check(reducer.channels.count + reducer.otherChannels.count <= count(.port), "more ports than were added")
    check(reducer.links.count <= count(.link), "more links than were added")
    for object in Array(reducer.clients.values) + Array(reducer.nodes.values) {
        check(object.properties.count <= GraphProperties.known.count, "properties that nothing reads are kept")
    }
}

private func checkSnapshot(_ snapshot: GraphSnapshot, _ present: [UInt32: GraphEvent.Kind]) {
    for peer in snapshot.peers {
        for text in [peer.name, peer.applicationID ?? "", peer.iconName ?? ""] { checkShowable(text, "a peer's text") }
    }
    for port in snapshot.ports {
        check(!port.media.isEmpty, "a port without channels")
        check(port.laneWidth == 0 ? port.inputs.isEmpty : port.inputs.count % port.laneWidth == 0, "a bad lane width")
        check(port.laneCount >= 0 && port.laneCount <= port.inputs.count, "a bad count of lanes")
        for text in [port.nodeName, port.name, port.title, port.followedReceiver ?? ""] {
            checkShowable(text, "a port's text")
        }
        for channel in channels(of: port) {
            check(present[channel.id] == .port, "a channel that does not exist")
            checkShowable(channel.name, "a channel's name")
            checkShowable(channel.position ?? "", "a channel's position")
        }
    }
    let all = snapshot.ports.flatMap(channels)
    check(Set(all.map(\.id)).count == all.count, "a channel of two ports")
    check(Set(snapshot.ports.map(\.id)).count == snapshot.ports.count, "two ports with one id")
    for connection in Medium.allCases.flatMap({ snapshot.connections(of: $0) }) {
        guard let source = snapshot.port(connection.source), let destination = snapshot.port(connection.destination)
        else { fatalError("a connection without an end") }
        check(!connection.links.isEmpty, "a connection without links")
        for link in connection.links {
            check(present[link.id] == .link, "a link that does not exist")
            check(source.outputs(of: connection.medium).indices.contains(link.output), "a link from no channel")
            check(destination.inputs(of: connection.medium).indices.contains(link.input), "a link to no channel")
        }
    }
}

private func channels(of port: GraphPort) -> [GraphPort.Channel] {
    Medium.allCases.flatMap { port.inputs(of: $0) + port.outputs(of: $0) }
}

private func checkRules(_ snapshot: GraphSnapshot) {
    let returns = snapshot.forbiddenReturns()
    check(returns.count <= snapshot.connections.count, "more returns than connections")
    _ = snapshot.withoutSilenced(by: returns)
    let areUnique = snapshot.ports.count == Set(snapshot.ports.map(\.id)).count
    for port in snapshot.ports.prefix(12) {
        _ = snapshot.isPlayed(port.id)
        _ = snapshot.isConnectedToSelf(port.id)
        _ = snapshot.isFromLiveSource(port.id)
        checkShowable(snapshot.destinationsTitle(of: port.id), "a title of destinations")
        checkShowable(snapshot.sourcesTitle(of: port.id), "a title of sources")
        let name = snapshot.uniqueName(of: port)
        checkShowable(name, atMost: 330, "a unique name")
        guard areUnique, port.id.serial > 0 else { continue }
        for role in (port.outputs.isEmpty ? [] : [.source]) + (port.inputs.isEmpty ? [] : [.destination])
            as [GraphSnapshot.Role]
        {
            check(snapshot.port(named: name, as: role) == .found(port), "a unique name finds something else")
        }
        for other in snapshot.ports.prefix(12) {
            _ = snapshot.isReturn(port.id, to: other.id)
            _ = snapshot.selfConnection(from: port, to: other)
        }
    }
}

private func checkQuestions(to reducer: GraphReducer, _ present: [UInt32: GraphEvent.Kind]) {
    for latency in reducer.latenciesOfFilters.values { check(0...1_048_576 ~= latency, "a latency out of range") }
    _ = reducer.audioLinks
    for id in present.keys {
        if let node = reducer.node(ofChannel: id), let isInput = reducer.isInput(channel: id) {
            check(reducer.index(ofChannel: id) != nil, "a channel without a place")
            _ = reducer.links(closingLoopsFrom: node, into: [id])
            _ = reducer.orderPort(ofNode: node, isInput: isInput)
            check(reducer.links(atNode: node).allSatisfy { present[$0] == .link }, "a link that does not exist")
        }
        if let serial = reducer.serial(ofNode: id) {
            _ = reducer.owner(ofNodeWithSerial: serial)
            if let facts = reducer.source(serial: serial) {
                checkShowable(facts.nodeName, "a source's name")
                checkShowable(facts.applicationID ?? "", "a source's app")
            }
        }
        if let end = reducer.ends(ofLink: id) { check(present[id] == .link, "ends of no link: \(end)") }
    }
    for peer in reducer.snapshot.peers { _ = reducer.metadata(of: peer.id, prefix: "pipebus.") }
}

extension Input {
    fileprivate func graphEvent() -> GraphEvent {
        let kind = number(below: 10)
        let id = UInt32(number(below: 24))
        switch kind {
        case 0: return .removed(id: id)
        case 1: return .properties(id: id, properties())
        case 2: return .added(id: id, kind: .client, properties: properties())
        case 3: return .added(id: id, kind: .metadata, properties: properties())
        case 4: return .added(id: id, kind: .other, properties: properties())
        case 5, 6: return .added(id: id, kind: .node, properties: properties())
        case 7:
            // An audio channel and a link as they usually are, so that there is a graph to work on.
            let channel = ["node.id": "\(number(below: 24))", "port.direction": choice(["in", "out"])]
            return .added(id: id, kind: .port, properties: properties().merging(channel) { $1 })
        case 8:
            let link = ["link.output.port": "\(number(below: 24))", "link.input.port": "\(number(below: 24))"]
            return .added(id: id, kind: .link, properties: properties().merging(link) { $1 })
        default: return .added(id: id, kind: choice([.port, .link]), properties: properties())
        }
    }

    private func properties() -> [String: String] {
        var properties: [String: String] = [:]
        for _ in 0..<number(below: 12) {
            let place = number(below: Self.keys.count + 1)
            let key = place < Self.keys.count ? Self.keys[place] : text(atMost: 24)
            properties[key] = value()
        }
        return properties
    }

    private func value() -> String {
        switch number(below: 4) {
        case 0: "\(number(below: 24))"
        case 1: choice(Self.values)
        case 2: text(atMost: 24)
        default: longText(repeats: 255)
        }
    }

    private static let keys: [String] =
        GraphProperties.known.sorted() + [
            "port.name", "port.direction", "port.monitor", "port.control", "port.id", "node.id", "audio.channel",
            "format.dsp", "link.output.port", "link.input.port", "object.serial",
        ]
    private static let values = [
        "", "true", "sender", "filter", "receiver", "in", "out", "application", "Audio/Sink", "Audio/Source",
        "Audio/Duplex", "8 bit raw control", "32 bit float mono audio", "pipebus.x", "-1", "+5", "05", "4294967295",
        "4294967296", "18446744073709551615", "9223372036854775807", "-9223372036854775808", "pipewire-pulse",
        "a:5", ":5", "a/b", "-x", "\"", "\u{1B}[2J", "\u{202E}x", "\r\n", "\u{85}", "e\u{301}", "1e9",
    ]
}
