// SPDX-License-Identifier: MIT

/// Questions that cannot wait for a snapshot, or that it does not answer.
extension GraphReducer {
    /// Adds the links of a node's channels, of all media, to other nodes or to itself.
    func insertLinks(ofChannelsOf node: UInt32, into links: inout Set<UInt32>) {
        for channels in [channelsOfNode[node], otherChannelsOfNode[node]] {
            for channel in channels ?? [] {
                for link in linksOfChannel[channel] ?? [] { links.insert(link) }
            }
        }
    }

    /// A node's channels of all media, but for those that keep an order, in order.
    func allChannels(ofNode node: UInt32, isInput: Bool) -> [ChannelObject] {
        (channelsOfNode[node] ?? []).union(otherChannelsOfNode[node] ?? [])
            .compactMap { channels[$0] ?? otherChannels[$0] }.filter { $0.isInput == isInput && !$0.isOrder }
            .sorted { ($0.order, $0.channel.id) < ($1.order, $1.channel.id) }
    }

    /// The node that a channel belongs to, by its global id.
    package func node(ofChannel id: UInt32) -> UInt32? { channels[id]?.node }

    /// Whether a channel belongs to another app's meter, which is in no graph but that app's.
    package func isForeignMeter(channel id: UInt32) -> Bool {
        node(ofChannel: id).flatMap { nodes[$0] }.map(isForeignMeter) ?? false
    }

    /// Whether a node is another app's meter, by its global id.
    package func isForeignMeter(node id: UInt32) -> Bool { nodes[id].map(isForeignMeter) ?? false }

    func isForeignMeter(_ node: Object) -> Bool {
        node.properties[PipeBusProperty.isMeter] == "true"
            && (ownGroup == nil || node.properties["node.group"] != ownGroup)
    }

    /// Whether a channel belongs to the tap of a filter, which is in no graph.
    package func isTap(channel id: UInt32) -> Bool {
        node(ofChannel: id).flatMap { nodes[$0] }?.isTap ?? false
    }

    /// The taps of the app's own filters, by the global ids of their nodes.
    package var ownTaps: Set<UInt32> {
        Set(nodes.filter { $0.value.isTap && $0.value.properties["node.group"] == ownGroup }.keys)
    }

    /// The text of the exchange for which a filter is ready; `nil` if it exchanges nothing.
    package func heldExchange(ofNodeWithSerial serial: UInt64) -> String? {
        nodesBySerial[serial].flatMap { nodes[$0] }?.properties[PipeBusProperty.heldExchange]
    }

    /// The text of an app's last answer to a request that it end.
    package func quitAnswer(ofNodeWithSerial serial: UInt64) -> String? {
        nodesBySerial[serial].flatMap { nodes[$0] }?.properties[PipeBusProperty.quitAnswer]
    }

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
        let hasMonitors = !Self.isInputDevice(node.properties["media.class"] ?? "")
        return SourceFacts(
            applicationID: owner?.properties.text("application.id"),
            nodeName: node.nodeName(id: id),
            outputCount: (channelsOfNode[id] ?? []).count { channel in
                channels[channel].map { !$0.isInput && !(hasMonitors && $0.channel.isMonitor) } ?? false
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

    /// The oldest metadata object of an app whose name begins with the prefix; `nil` without one.
    package func metadataObject(of peer: Peer.ID, prefix: String) -> MetadataObject? {
        metadata(of: peer, prefix: prefix).first.flatMap { id in
            metadata[id].map { MetadataObject(id: id, serial: $0.serial) }
        }
    }

    /// The keys of an app's published data, with the metadata objects that hold them, oldest first.
    package func publishedData(
        of peer: Peer.ID, namePrefix: String
    ) -> [(key: String, object: MetadataObject)] {
        metadata(of: peer, prefix: namePrefix).compactMap { id in
            guard let object = metadata[id], let key = object.properties[PipeBusProperty.dataKey] else { return nil }
            return (key, MetadataObject(id: id, serial: object.serial))
        }
    }

    /// A metadata object, while it exists: its global id may be another object's later.
    package struct MetadataObject: Sendable, Hashable {
        package var id: UInt32
        package var serial: UInt64
    }

    /// Audio links that begin or end at a node.
    package func links(atNode node: UInt32) -> [UInt32] {
        Set((channelsOfNode[node] ?? []).flatMap { linksOfChannel[$0] ?? [] }).sorted()
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

extension GraphReducer.Object {
    /// Whether a node is the tap of a filter.
    var isTap: Bool { properties[GraphProperties.category] == PipeBusProperty.tapCategory }
}
