// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// The graph as it is now.
    ///
    /// - Complexity: O(*k* log *n*) in the number of objects that have changed since the last snapshot.
    package mutating func takeSnapshot() -> GraphSnapshot {
        updatePublished()
        return published.snapshot(revision: revision)
    }

    /// The same without taking note of it.
    package var snapshot: GraphSnapshot {
        var copy = self
        return copy.takeSnapshot()
    }

    private mutating func updatePublished() {
        guard published.isStale else { return }
        var owners: Set<UInt64> = []
        let ports = published.staleNodes.map { id in (id, nodes[id].flatMap { makePort(id: id, node: $0) }) }
        for (id, port) in ports {
            if let owner = published.remove(node: id, replacedBy: port) { owners.insert(owner) }
        }
        for (id, port) in ports {
            published.insert(port, ofNode: id)
            if let owner = port?.peer?.serial { owners.insert(owner) }
            if let port, published.nodesWithStaleChannels.contains(id) { setPlaces(ofChannelsOf: port) }
        }
        owners.formUnion(published.staleClients.compactMap { clients[$0]?.serial })
        for serial in owners {
            published.replace(peer: serial, by: clientsBySerial[serial].flatMap { clients[$0] }.map(makePeer))
        }
        updateLinks()
        published.finishUpdate()
    }

    /// The places of a node's channels may have changed with its channels, and with them those of all its links.
    private mutating func updateLinks() {
        var stale = published.staleLinks
        for node in published.nodesWithStaleChannels { insertLinks(ofChannelsOf: node, into: &stale) }
        for id in stale { published.remove(link: id) }
        // A connection is made once, and not once for each of its links.
        var added: [ConnectionKey: [Connection.Link]] = [:]
        for id in stale {
            guard let link = links[id], let output = end(at: link.output, isInput: false),
                let input = end(at: link.input, isInput: true), output.place.medium == input.place.medium
            else { continue }
            let ends = ConnectionKey(source: output.port, destination: input.port, medium: output.place.medium)
            added[ends, default: []].append(
                Connection.Link(output: output.place.index, input: input.place.index, id: id, serial: link.serial))
        }
        for (ends, links) in added { published.add(links, to: ends) }
    }

    /// The place of a channel in a port of the published graph, among the channels of its medium.
    private func end(at id: UInt32, isInput: Bool) -> (port: GraphPort.ID, place: (index: Int, medium: Medium))? {
        guard let channel = channels[id] ?? otherChannels[id], channel.isInput == isInput, let place = channel.place,
            let port = published.portOfNode[channel.node]
        else { return nil }
        return (port, place)
    }

    /// A node's channels in order, those of sound and the others.
    private func channelsByMedium(
        ofNode id: UInt32, isInput: Bool, mediaClass: String
    ) -> (audio: [GraphPort.Channel], others: [GraphPort.Channel]) {
        let undecided = Medium(mediaClass: mediaClass)
        // PipeWire marks all outputs of a virtual input device as monitors, because it has inputs too.
        let hasMonitors = !Self.isInputDevice(mediaClass)
        let all = allChannels(ofNode: id, isInput: isInput).map {
            $0.channel.carrying($0.medium ?? undecided, isMonitor: hasMonitors && $0.channel.isMonitor)
        }
        return (all.filter { $0.medium == .audio }, all.filter { $0.medium != .audio })
    }

    private func makePeer(_ client: Object) -> Peer {
        let properties = client.properties
        return Peer(
            id: Peer.ID(serial: client.serial),
            name: properties.text("application.name") ?? properties.text("application.process.binary")
                ?? "client \(client.serial)",
            applicationID: properties.text("application.id"),
            iconName: properties.text("application.icon-name"),
            processID: properties["pipewire.sec.pid"].flatMap { Int32($0) },
            isEmulated: properties["client.api"] == "pipewire-pulse")
    }

    private func makePort(id: UInt32, node: Object) -> GraphPort? {
        guard !isForeignMeter(node), !node.isTap else { return nil }
        let properties = node.properties
        let mediaClass = properties["media.class"] ?? ""
        let (inputs, otherInputs) = channelsByMedium(ofNode: id, isInput: true, mediaClass: mediaClass)
        let (outputs, otherOutputs) = channelsByMedium(ofNode: id, isInput: false, mediaClass: mediaClass)
        let hasAudio = !inputs.isEmpty || !outputs.isEmpty
        guard hasAudio || !otherInputs.isEmpty || !otherOutputs.isEmpty else { return nil }
        let isDevice = ["Audio/", "Midi/", "Video/"].contains(where: mediaClass.hasPrefix)
        let declared = properties[PipeBusProperty.kind].flatMap { PortKind(rawValue: $0) }
        let nodeName = node.nodeName(id: id)
        let width = properties[PipeBusProperty.laneWidth].flatMap { Int($0) } ?? inputs.count
        let owner = node.client.flatMap { clients[$0] }
        return GraphPort(
            id: GraphPort.ID(serial: node.serial),
            kind: declared
                ?? (hasAudio
                    ? kind(inputs: inputs, outputs: outputs) : kind(inputs: otherInputs, outputs: otherOutputs)),
            peer: owner.map { Peer.ID(serial: $0.serial) },
            nodeName: nodeName,
            name: declared != nil ? properties.text(PipeBusProperty.name) ?? nodeName : nodeName,
            title: properties.text("node.description") ?? properties.text("node.nick") ?? nodeName,
            iconName: properties.text("media.icon-name"),
            outputs: outputs, inputs: inputs, otherOutputs: otherOutputs, otherInputs: otherInputs,
            isPipeBus: declared != nil, isDevice: isDevice,
            isOutputDevice: ["Audio/Sink", "Audio/Duplex"].contains(mediaClass),
            isMonitoring: declared == .receiver && properties[PipeBusProperty.monitors] == "true",
            isMonitoringAutomatically: declared == .receiver
                && properties[PipeBusProperty.monitorsAutomatically] == "true",
            isSeparate: declared == .receiver && properties[PipeBusProperty.isSeparate] == "true",
            isLiveSource: declared != nil
                ? properties[PipeBusProperty.isLive] == "true"
                : Self.isInputDevice(mediaClass) || mediaClass == "Audio/Duplex",
            latency: declared != nil ? node.declaredLatency : nil,
            isBypassed: declared == .filter && properties[PipeBusProperty.isBypassed] == "true",
            stalledSources: declared != nil ? stalledSources(properties[PipeBusProperty.stalledSources]) : [],
            allowsConnectionsToSelf: declared != nil && properties[PipeBusProperty.allowsSelf] == "true",
            isOneAppAcrossProcesses: declared != nil && properties[PipeBusProperty.selfScope] == "application",
            order: properties[PipeBusProperty.order].flatMap { Int($0) } ?? 0,
            // A width that does not divide the channels came from another process: then there is one lane.
            laneWidth: !inputs.isEmpty && width > 0 && inputs.count.isMultiple(of: width) ? width : inputs.count,
            auxiliaryOf: declared == .receiver ? properties.text(PipeBusProperty.auxiliaryOf) : nil,
            followedReceiver: declared == .sender ? properties.text(PipeBusProperty.follows) : nil,
            nodeID: id)
    }

    /// Whether a node of that class records, really or virtually.
    static func isInputDevice(_ mediaClass: String) -> Bool { mediaClass.hasPrefix("Audio/Source") }

    /// Another process wrote the text. A receiver has no more lanes than that.
    private func stalledSources(_ text: String?) -> [GraphPort.ID] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", maxSplits: GraphPort.stalledSourceLimit).prefix(GraphPort.stalledSourceLimit)
            .compactMap { GraphPort.ID(text: $0) }
    }

    private func kind(inputs: [GraphPort.Channel], outputs: [GraphPort.Channel]) -> PortKind {
        // A sink's monitors do not make it a filter.
        let hasOutputs = outputs.contains { !$0.isMonitor }
        if inputs.isEmpty { return .sender }
        return hasOutputs ? .filter : .receiver
    }
}

extension GraphPort.Channel {
    fileprivate func carrying(_ medium: Medium, isMonitor: Bool) -> Self {
        Self(name: name, position: position, medium: medium, isMonitor: isMonitor, id: id)
    }
}
