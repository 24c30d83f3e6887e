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
        /// `nil` if the class of the node decides.
        var medium: Medium?
        /// Whether the port only keeps an order; see ``OrderPort``.
        var isOrder: Bool
        var channel: GraphPort.Channel
        /// Its place in the port of the last snapshot, among the channels of its medium and direction; `nil` if it is in none.
        var place: (index: Int, medium: Medium)?
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
    private(set) var nodesBySerial: [UInt64: UInt32] = [:]
    /// The nodes of each client, also of a client that has not been added yet.
    private var nodesOfClient: [UInt32: Set<UInt32>] = [:]
    private(set) var nodeNames = NodeNames()
    private(set) var channels: [UInt32: ChannelObject] = [:]
    /// The channels of each node, in no order.
    private(set) var channelsOfNode: [UInt32: Set<UInt32>] = [:]
    /// Channels that carry no audio. They are part of a path from node to node.
    private(set) var otherChannels: [UInt32: ChannelObject] = [:]
    private(set) var otherChannelsOfNode: [UInt32: Set<UInt32>] = [:]
    private(set) var links: [UInt32: Link] = [:]
    /// The links of each channel, also of a channel that has not been added yet.
    private(set) var linksOfChannel: [UInt32: Set<UInt32>] = [:]
    private(set) var metadata: [UInt32: Object] = [:]
    /// Incremented with every event.
    package private(set) var revision: UInt64
    /// The graph as it was at the last snapshot, and the objects that have changed since.
    var published = PublishedGraph()

    /// The `node.group` of the app's own nodes: of all meters, only those of the app itself are in the graph.
    let ownGroup: String?

    package init(revision: UInt64 = 0, ownGroup: String? = nil) {
        self.revision = revision
        self.ownGroup = ownGroup
    }

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
        // Not for channels and links, of which there are many.
        func object() -> Object {
            Object(kind: kind, serial: serial, properties: properties.filter { GraphProperties.known.contains($0.key) })
        }
        switch kind {
        case .client: addClient(object(), id: id)
        case .node: addNode(object(), id: id)
        case .port: addChannel(id: id, properties: properties)
        case .link:
            guard let output = properties.id("link.output.port"), let input = properties.id("link.input.port") else {
                return
            }
            links[id] = Link(serial: serial, output: output, input: input, client: properties.id("client.id"))
            for channel in [output, input] { linksOfChannel[channel, default: []].insert(id) }
            published.linkChanges(id)
        case .metadata: metadata[id] = object()
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
        let format = properties["format.dsp"]
        let medium = Medium(format: format, isControl: properties["port.control"] == "true")
        let channel = ChannelObject(
            node: node, isInput: direction == "in", order: properties.id("port.id") ?? 0, medium: medium,
            isOrder: format == OrderPort.format,
            channel: GraphPort.Channel(
                name: properties.text("port.name") ?? "\(id)", position: properties.text("audio.channel"),
                medium: medium ?? .audio, isMonitor: properties["port.monitor"] == "true", id: id))
        if channel.channel.medium == .audio {
            channels[id] = channel
            channelsOfNode[node, default: []].insert(id)
        } else {
            otherChannels[id] = channel
            otherChannelsOfNode[node, default: []].insert(id)
        }
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
        // The first decides about the media of channels, the others whether the node is in the graph.
        for key in ["media.class", PipeBusProperty.isMeter, GraphProperties.category, "node.group"]
        where node.properties[key] != new.properties[key] {
            published.channelsChange(ofNode: id)
        }
    }

    private mutating func remove(id: UInt32) {
        if let client = clients.removeValue(forKey: id) {
            clientsBySerial[client.serial] = nil
            clientChanges(id)
        }
        removeNode(id)
        removeLink(id: id)
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

    /// Notes where the channels of a port that has just been made are in it.
    mutating func setPlaces(ofChannelsOf port: GraphPort) {
        for list in [port.outputs, port.inputs] {
            for (index, channel) in list.enumerated() { channels[channel.id]?.place = (index, .audio) }
        }
        for list in [port.otherOutputs, port.otherInputs] {
            var counts: [Medium: Int] = [:]
            for channel in list {
                let place = (index: counts[channel.medium, default: 0], medium: channel.medium)
                counts[channel.medium] = place.index + 1
                channels[channel.id]?.place = place
                otherChannels[channel.id]?.place = place
            }
        }
    }

    private mutating func removeChannel(_ id: UInt32) {
        guard let channel = channels.removeValue(forKey: id) ?? otherChannels.removeValue(forKey: id) else { return }
        channelsOfNode.remove(id, from: channel.node)
        otherChannelsOfNode.remove(id, from: channel.node)
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
            && nodeNames.isEmpty && channels.isEmpty && channelsOfNode.isEmpty && otherChannels.isEmpty
            && otherChannelsOfNode.isEmpty && links.isEmpty
            && linksOfChannel.isEmpty && metadata.isEmpty
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
}
