// SPDX-License-Identifier: MIT

/// Turns the daemon's events into the graph. Pure.
///
/// Any property of another process is accepted, however malformed.
package struct GraphReducer: Sendable {
    struct Object: Sendable {
        var kind: GraphEvent.Kind
        var serial: UInt64
        /// Those of ``GraphProperties/known``.
        var properties: [String: String]

        /// Takes over new properties. They are merged, because the full properties of an object may lack what only its
        /// global carried.
        mutating func update(_ new: [String: String]) {
            for (key, value) in new where GraphProperties.known.contains(key) {
                // The daemon says once whose an object is. Later properties are the object's own, as its app gives them.
                if key == GraphProperties.client, properties[key] != nil { continue }
                properties[key] = value
            }
        }
    }

    /// A channel, parsed once when it is added: there are many, and they do not change.
    struct ChannelObject: Sendable {
        var node: UInt32
        var isInput: Bool
        var order: UInt32
        var channel: GraphPort.Channel
    }

    struct Link: Sendable {
        var serial: UInt64
        var output: UInt32
        var input: UInt32
        /// The client that made it.
        var client: UInt32?
    }

    private(set) var clients: [UInt32: Object] = [:]
    private(set) var clientsBySerial: [UInt64: UInt32] = [:]
    private(set) var nodes: [UInt32: Object] = [:]
    private var nodesBySerial: [UInt64: UInt32] = [:]
    /// The nodes of each client, also of a client that has not been added yet.
    private var nodesOfClient: [UInt32: Set<UInt32>] = [:]
    private var nodeNames = NodeNames()
    private(set) var channels: [UInt32: ChannelObject] = [:]
    /// The channels of each node, in no order.
    private var channelsOfNode: [UInt32: Set<UInt32>] = [:]
    /// Ports that carry no audio.
    private(set) var nonAudioPorts: [UInt32: NonAudioPort] = [:]
    private(set) var links: [UInt32: Link] = [:]
    /// The links of each channel, also of a channel that has not been added yet.
    private var linksOfChannel: [UInt32: Set<UInt32>] = [:]
    private var metadata: [UInt32: Object] = [:]
    /// Incremented with every event.
    package private(set) var revision: UInt64
    /// The graph as it was at the last snapshot, and the objects that have changed since.
    var published = PublishedGraph()

    package init(revision: UInt64 = 0) { self.revision = revision }

    package mutating func apply(_ event: GraphEvent) {
        revision += 1
        switch event {
        case .added(let id, let kind, let properties): add(id: id, kind: kind, properties: properties)
        case .properties(let id, let properties): update(id: id, properties: properties)
        case .removed(let id): remove(id: id)
        }
    }

    private mutating func add(id: UInt32, kind: GraphEvent.Kind, properties: [String: String]) {
        // An id stands for one object.
        remove(id: id)
        // Serials came with 0.3.41. Before that the id takes their place.
        let serial = properties["object.serial"].flatMap { UInt64($0) } ?? UInt64(id)
        let object = Object(
            kind: kind, serial: serial, properties: properties.filter { GraphProperties.known.contains($0.key) })
        switch kind {
        case .client: addClient(object, id: id)
        case .node: addNode(object, id: id)
        case .port: addChannel(id: id, properties: properties)
        case .link:
            guard let output = properties.id("link.output.port"), let input = properties.id("link.input.port") else {
                return
            }
            links[id] = Link(serial: serial, output: output, input: input, client: properties.id("client.id"))
            for channel in [output, input] { linksOfChannel[channel, default: []].insert(id) }
            published.linkChanges(id)
        case .metadata: metadata[id] = object
        case .other: break
        }
    }

    private mutating func addClient(_ client: Object, id: UInt32) {
        // A serial stands for one client, too.
        if let other = clientsBySerial[client.serial] { remove(id: other) }
        clients[id] = client
        clientsBySerial[client.serial] = id
        clientChanges(id)
    }

    /// The peer that owns a client's nodes is another one, or none.
    private mutating func clientChanges(_ id: UInt32) {
        published.clientChanges(id)
        for node in nodesOfClient[id] ?? [] { published.nodeChanges(node) }
    }

    private mutating func addNode(_ node: Object, id: UInt32) {
        if let other = nodesBySerial[node.serial] { remove(id: other) }
        nodes[id] = node
        nodesBySerial[node.serial] = id
        nodeNames.add(node, id: id)
        if let client = node.client { nodesOfClient[client, default: []].insert(id) }
        published.channelsChange(ofNode: id)
    }

    private mutating func addChannel(id: UInt32, properties: [String: String]) {
        guard let node = properties.id("node.id"), let direction = properties["port.direction"] else { return }
        guard properties.isAudio else {
            let isOrder = properties["format.dsp"] == OrderPort.format
            nonAudioPorts[id] = NonAudioPort(node: node, isInput: direction == "in", isOrder: isOrder)
            return
        }
        let channel = GraphPort.Channel(
            name: properties.text("port.name") ?? "\(id)", position: properties.text("audio.channel"),
            isMonitor: properties["port.monitor"] == "true", id: id)
        channels[id] = ChannelObject(
            node: node, isInput: direction == "in", order: properties.id("port.id") ?? 0, channel: channel)
        channelsOfNode[node, default: []].insert(id)
        published.channelsChange(ofNode: node)
    }

    private mutating func update(id: UInt32, properties: [String: String]) {
        if let client = clients[id] {
            clients[id]?.update(properties)
            if clients[id]?.properties != client.properties { published.clientChanges(id) }
        }
        guard let node = nodes[id] else { return }
        var new = node
        new.update(properties)
        guard new.properties != node.properties else { return }
        nodes[id] = new
        nodeNames.update(node, to: new, id: id)
        if node.client == nil, let client = new.client { nodesOfClient[client, default: []].insert(id) }
        published.nodeChanges(id)
    }

    private mutating func remove(id: UInt32) {
        if let client = clients.removeValue(forKey: id) {
            clientsBySerial[client.serial] = nil
            clientChanges(id)
        }
        removeNode(id)
        removeLink(id: id)
        nonAudioPorts[id] = nil
        metadata[id] = nil
        removeChannel(id)
    }

    private mutating func removeNode(_ id: UInt32) {
        guard let node = nodes.removeValue(forKey: id) else { return }
        nodeNames.remove(node, id: id)
        nodesBySerial[node.serial] = nil
        if let client = node.client { nodesOfClient.remove(id, from: client) }
        published.channelsChange(ofNode: id)
    }

    private mutating func removeChannel(_ id: UInt32) {
        guard let channel = channels.removeValue(forKey: id) else { return }
        channelsOfNode.remove(id, from: channel.node)
        published.channelsChange(ofNode: channel.node)
        for link in linksOfChannel[id] ?? [] { published.linkChanges(link) }
    }

    private mutating func removeLink(id: UInt32) {
        guard let link = links.removeValue(forKey: id) else { return }
        for channel in [link.output, link.input] { linksOfChannel.remove(id, from: channel) }
        published.linkChanges(id)
    }

    /// Whether nothing is kept, as before the first event.
    var isEmpty: Bool {
        clients.isEmpty && clientsBySerial.isEmpty && nodes.isEmpty && nodesBySerial.isEmpty && nodesOfClient.isEmpty
            && nodeNames.isEmpty && channels.isEmpty && channelsOfNode.isEmpty && nonAudioPorts.isEmpty && links.isEmpty
            && linksOfChannel.isEmpty && metadata.isEmpty
    }

    // MARK: Questions that cannot wait for a snapshot

    /// The links of a node's channels, to other nodes or to itself.
    func links(ofChannelsOf node: UInt32) -> Set<UInt32> {
        (channelsOfNode[node] ?? []).reduce(into: []) { $0.formUnion(linksOfChannel[$1] ?? []) }
    }

    /// The node that a channel belongs to, by its global id.
    package func node(ofChannel id: UInt32) -> UInt32? { channels[id]?.node }

    /// `nil` for an object that is no channel, or gone.
    package func isInput(channel id: UInt32) -> Bool? { channels[id]?.isInput }

    package func serial(ofLink id: UInt32) -> UInt64? { links[id]?.serial }

    /// The client that made a link, by its global id.
    package func client(ofLink id: UInt32) -> UInt32? { links[id]?.client }

    /// The index of a channel among its node's channels of its direction.
    package func index(ofChannel id: UInt32) -> Int? {
        guard let channel = channels[id] else { return nil }
        // Those before it are counted: to sort all of them takes longer.
        return (channelsOfNode[channel.node] ?? []).count { other in
            guard other != id, let other = channels[other], other.isInput == channel.isInput else { return false }
            return (other.order, other.channel.id) < (channel.order, id)
        }
    }

    /// The client that a node belongs to, by its global id.
    package func owner(ofNodeWithSerial serial: UInt64) -> UInt32? {
        nodesBySerial[serial].flatMap { nodes[$0] }?.properties.id("client.id")
    }

    package func isClient(_ id: UInt32) -> Bool { clients[id] != nil }

    package func hasClient(withSerial serial: UInt64) -> Bool { clientsBySerial[serial] != nil }

    package func serial(ofClient id: UInt32) -> UInt64? { clients[id]?.serial }

    package func serial(ofNode id: UInt32) -> UInt64? { nodes[id]?.serial }

    /// The ends of a link, as ids of channels.
    package func ends(ofLink id: UInt32) -> (output: UInt32, input: UInt32)? {
        links[id].map { ($0.output, $0.input) }
    }

    /// Whether a channel has a link besides this one.
    package func hasLink(atChannel channel: UInt32, otherThan link: UInt32) -> Bool {
        linksOfChannel[channel]?.contains { $0 != link } ?? false
    }

    /// The facts about a source that a receiver needs at once; `nil` if the source is gone.
    package func source(serial: UInt64) -> SourceFacts? {
        guard let id = nodesBySerial[serial], let node = nodes[id] else { return nil }
        let owner = node.properties.id("client.id").flatMap { clients[$0] }
        return SourceFacts(
            applicationID: owner?.properties.text("application.id"),
            nodeName: node.nodeName(id: id),
            outputCount: (channelsOfNode[id] ?? []).count { channel in
                channels[channel].map { !$0.isInput && !$0.channel.isMonitor } ?? false
            })
    }

    /// The facts about a source that are had without the cost of a snapshot.
    package struct SourceFacts: Sendable, Equatable {
        package var applicationID: String?
        package var nodeName: String
        /// Number of output channels.
        package var outputCount: Int

        package init(applicationID: String?, nodeName: String, outputCount: Int) {
            self.applicationID = applicationID
            self.nodeName = nodeName
            self.outputCount = outputCount
        }
    }

    /// Metadata objects of an app whose names begin with the prefix, oldest first.
    package func metadata(of peer: Peer.ID, prefix: String) -> [UInt32] {
        metadata.filter { _, object in
            object.properties["metadata.name"]?.hasPrefix(prefix) == true
                && object.properties.id("client.id").flatMap { clients[$0]?.serial } == peer.serial
        }
        .sorted { $0.value.serial < $1.value.serial }.map(\.key)
    }

    /// Links that begin or end at a node.
    package func links(atNode node: UInt32) -> [UInt32] {
        links(ofChannelsOf: node).sorted()
    }

    /// The nodes directly upstream or downstream of a node.
    func neighbours(of node: UInt32, upstream: Bool) -> Set<UInt32> {
        var found: Set<UInt32> = []
        for id in channelsOfNode[node] ?? [] where channels[id]?.isInput == upstream {
            for link in linksOfChannel[id] ?? [] {
                guard let link = links[link] else { continue }
                if let neighbour = channels[upstream ? link.output : link.input]?.node { found.insert(neighbour) }
            }
        }
        return found
    }

    /// Whether a node has this name, as ``GraphPort/nodeName`` gives it. It costs nothing, unlike a search in a snapshot.
    package func hasNode(shownAs name: String) -> Bool { nodeNames.contains(name) }

    /// Nodes with this name, oldest first.
    package func nodes(named name: String) -> [(id: UInt32, serial: UInt64)] {
        nodes.filter { $0.value.properties["node.name"] == name }
            .map { ($0.key, $0.value.serial) }.sorted { $0.serial < $1.serial }
    }

    /// A node's audio channels of one direction, in order.
    package func channels(ofNode node: UInt32, isInput: Bool) -> [GraphPort.Channel] {
        (channelsOfNode[node] ?? []).compactMap { channels[$0] }
            .filter { $0.isInput == isInput }
            .sorted { ($0.order, $0.channel.id) < ($1.order, $1.channel.id) }
            .map(\.channel)
    }
}

extension [UInt32: Set<UInt32>] {
    /// Removes an element, and its set with the last one.
    fileprivate mutating func remove(_ element: UInt32, from key: UInt32) {
        self[key]?.remove(element)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}

extension GraphReducer.Object {
    /// The client that it belongs to, by its global id.
    var client: UInt32? { properties.id(GraphProperties.client) }
}

extension [String: String] {
    func id(_ key: String) -> UInt32? { self[key].flatMap { UInt32($0) } }

    /// A printable text; `nil` for a missing or empty one.
    func text(_ key: String) -> String? {
        guard let value = self[key], !value.isEmpty else { return nil }
        return value.printable
    }

    /// Whether the port carries audio. A port without a format is an old audio port; MIDI and video ports have one.
    var isAudio: Bool {
        guard self["port.control"] != "true" else { return false }
        guard let format = self["format.dsp"] else { return true }
        return format.contains("audio")
    }
}
