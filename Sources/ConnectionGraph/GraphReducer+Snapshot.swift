// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// The graph as it is now.
    ///
    /// - Parameter earlier: a snapshot of this reducer since which only links have changed, at ``portRevision``.
    package func snapshot(reusingPortsOf earlier: GraphSnapshot? = nil) -> GraphSnapshot {
        if let earlier {
            return earlier.replacing(connections: makeConnections(between: earlier.ports), revision: revision)
        }
        let ports = makePorts()
        let owners = Set(ports.compactMap(\.peer))
        let peers = clients.values.filter { owners.contains(Peer.ID(serial: $0.serial)) }
            .sorted { $0.serial < $1.serial }.map(makePeer)
        return GraphSnapshot(
            revision: revision, peers: peers, ports: ports, connections: makeConnections(between: ports))
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

    private func makePorts() -> [GraphPort] {
        nodes.compactMap { id, node in makePort(id: id, node: node) }
            .sorted { ($0.peer?.serial ?? 0, $0.order, $0.id) < ($1.peer?.serial ?? 0, $1.order, $1.id) }
    }

    private func makePort(id: UInt32, node: Object) -> GraphPort? {
        let inputs = channels(ofNode: id, isInput: true)
        let outputs = channels(ofNode: id, isInput: false)
        guard !inputs.isEmpty || !outputs.isEmpty else { return nil }
        let properties = node.properties
        let mediaClass = properties["media.class"] ?? ""
        let isDevice = mediaClass.hasPrefix("Audio/")
        let declared = properties[PipeBusProperty.kind].flatMap { PortKind(rawValue: $0) }
        let nodeName = node.nodeName(id: id)
        let width = properties[PipeBusProperty.laneWidth].flatMap { Int($0) } ?? inputs.count
        let owner = properties.id("client.id").flatMap { clients[$0] }
        return GraphPort(
            id: GraphPort.ID(serial: node.serial),
            kind: declared ?? kind(inputs: inputs, outputs: outputs),
            peer: owner.map { Peer.ID(serial: $0.serial) },
            nodeName: nodeName,
            name: declared != nil ? properties.text(PipeBusProperty.name) ?? nodeName : nodeName,
            title: properties.text("node.description") ?? properties.text("node.nick") ?? nodeName,
            outputs: outputs, inputs: inputs,
            isPipeBus: declared != nil, isDevice: isDevice,
            isOutputDevice: ["Audio/Sink", "Audio/Duplex"].contains(mediaClass),
            isMonitoring: declared == .receiver && properties[PipeBusProperty.monitors] == "true",
            isMonitoringAutomatically: declared == .receiver
                && properties[PipeBusProperty.monitorsAutomatically] == "true",
            isSeparate: declared == .receiver && properties[PipeBusProperty.isSeparate] == "true",
            isLiveSource: declared != nil
                ? properties[PipeBusProperty.isLive] == "true"
                : mediaClass.hasPrefix("Audio/Source") || mediaClass == "Audio/Duplex",
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

    private func makeConnections(between ports: [GraphPort]) -> [Connection] {
        struct Ends: Hashable { var source: Int, destination: Int }
        var outputs: [UInt32: (port: Int, channel: Int)] = [:]
        var inputs: [UInt32: (port: Int, channel: Int)] = [:]
        for (index, port) in ports.enumerated() {
            for (channel, output) in port.outputs.enumerated() { outputs[output.id] = (index, channel) }
            for (channel, input) in port.inputs.enumerated() { inputs[input.id] = (index, channel) }
        }
        var found: [Ends: [Connection.Link]] = [:]
        for (id, link) in links {
            guard let output = outputs[link.output], let input = inputs[link.input] else { continue }
            found[Ends(source: output.port, destination: input.port), default: []]
                .append(
                    Connection.Link(output: output.channel, input: input.channel, id: id, serial: link.serial))
        }
        return found.map { ends, links in
            Connection(source: ports[ends.source].id, destination: ports[ends.destination].id, links: links.sorted())
        }
        .sorted { ($0.source, $0.destination) < ($1.source, $1.destination) }
    }
}
