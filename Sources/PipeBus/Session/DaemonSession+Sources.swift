// SPDX-License-Identifier: MIT
import AudioKernels
import ConnectionGraph

/// What receivers ask of their client about their sources.
extension DaemonSession {
    /// A receiver's own part of a node.
    func control(of port: LivePort) throws -> ReceiverControl {
        guard let control = port.receiver else {
            throw PipeBusError(.invalidArgument, "\(port.title) is no receiver.")
        }
        return control
    }

    /// The same of one that mixes: only there sources have levels.
    private func mixingControl(of port: LivePort) throws -> ReceiverControl {
        let control = try control(of: port)
        guard !port.declaration.isSeparate else { throw Self.noLevels(at: Names.shown(port.title)) }
        return control
    }

    static func noLevels(at receiver: String) -> PipeBusError {
        PipeBusError(
            .notSupported,
            "\(receiver) takes its sources separately and does not mix them, so they have no volume, pan, mute or solo "
                + "there; set those at a receiver that mixes.")
    }

    // MARK: Keeping up

    /// Brings a receiver up to what is linked to it now, and publishes that to its audio thread.
    func updateReceiver(_ node: LivePort) {
        guard let control = node.receiver else { return }
        for lane in 0..<node.lanes.laneCount {
            let occupation = node.lanes.occupation(of: lane)
            // A lane that never had a source costs nothing.
            if occupation == nil, !control.lanes[lane].isLinked { continue }
            control.occupy(
                lane, with: occupation, latency: node.latency(ofLane: lane, channels: occupation?.channels ?? []),
                facts: { model.reducer.source(serial: $0) },
                level: {
                    node.declaration.isSeparate
                        ? SourceLevel() : declared.levels[node.declaration.name]?[$0] ?? SourceLevel()
                })
        }
        control.publish()
        _ = control.takeLatencyChange()
        updateFollowers(of: node.declaration.name)
        shareLevels(of: node)
        markStale(.sourceReaders)
        for (source, latency) in control.takeUnaligned() {
            let title = model.title(of: source) ?? "A source"
            post(
                Notice(
                    kind: .sourceNotAligned, port: node.declaration.name,
                    message:
                        "\(title) is \(latency) frames late, more than \(node.title) can align; it comes as it is. "
                        + "Make the receiver with a larger capacity if the others are to wait for it."))
        }
    }

    // MARK: Telling

    func sources(of receiver: LivePort) throws -> [Source] {
        let control = try control(of: receiver)
        let snapshot = model.snapshot
        let sampleRate = control.memory.sampleRate
        let latency = { (frames: Int) in Latency(frames: frames, sampleRate: sampleRate) }
        return control.lanes.enumerated().compactMap { index, lane in
            guard let occupation = lane.occupation, let port = snapshot.port(GraphPort.ID(serial: lane.source)) else {
                return nil
            }
            let peer = snapshot.peer(of: port)
            // On a shared lane, what is true of one is true of the sum.
            let ids = occupation.sources.map { GraphPort.ID(serial: $0) }
            return Source(
                identity: lane.identity
                    ?? SourceIdentity(applicationID: peer?.applicationID, nodeName: port.nodeName),
                peer: peer, port: port,
                others: occupation.sources.filter { $0 != lane.source }
                    .compactMap { snapshot.port(GraphPort.ID(serial: $0)) },
                lane: index, channelCount: lane.channelCount,
                latencyRange: latency(lane.latency.lowerBound)...latency(lane.latency.upperBound),
                delay: latency(control.delay(ofLane: index)), isAligned: control.plan.lanes[index].isAligned,
                level: lane.level, context: lane.context, tag: lane.tag,
                isFromLiveSource: ids.contains { snapshot.isFromLiveSource($0) },
                isFromSelf: ids.map { snapshot.isReturn($0, to: receiver.id) }.max() ?? .no)
        }
    }

    func broadcastSources() {
        for port in ports where port.streams.sources.hasReaders {
            if let sources = try? sources(of: port) { port.streams.sources.send(sources) }
        }
    }

    // MARK: Alignment

    func realign(_ port: LivePort) throws {
        let control = try control(of: port)
        control.requestRealignment()
        control.publish()
        markStale(.sourceReaders)
    }

    // MARK: Levels

    func localLevel(of source: GraphPort.ID, at node: LivePort) throws -> SourceLevel {
        let control = try mixingControl(of: node)
        return control.lanes[try lane(of: source, at: node, control)].level
    }

    func changeLevel(of source: GraphPort.ID, at node: LivePort, _ change: @Sendable (inout SourceLevel) -> Void)
        throws
    {
        let control = try mixingControl(of: node)
        let lane = try lane(of: source, at: node, control)
        var level = control.lanes[lane].level
        change(&level)
        setLevel(level, lane: lane, at: node, control)
    }

    func setLevel(_ level: SourceLevel, lane: Int, at node: LivePort, _ control: ReceiverControl) {
        control.setLevel(level, lane: lane)
        if let identity = control.lanes[lane].identity {
            declared.levels[node.declaration.name, default: SourceLevels()][identity] = level
        }
        control.publish()
        shareLevel(of: node, lane: control.lanes[lane])
        markStale(.sourceReaders)
    }

    func setContext(_ context: (any Sendable)?, of source: GraphPort.ID, at node: LivePort) throws {
        let control = try control(of: node)
        control.setContext(context, lane: try lane(of: source, at: node, control))
        markStale(.sourceReaders)
    }

    func setTag(_ tag: UInt64, of source: GraphPort.ID, at node: LivePort) throws {
        let control = try control(of: node)
        control.setTag(tag, lane: try lane(of: source, at: node, control))
        control.publish()
        markStale(.sourceReaders)
    }

    func savedLevels(of port: LivePort) throws -> SourceLevels {
        _ = try mixingControl(of: port)
        return declared.levels[port.declaration.name] ?? SourceLevels()
    }

    func restore(_ saved: SourceLevels, at node: LivePort) throws {
        let control = try mixingControl(of: node)
        declared.levels[node.declaration.name] = saved
        for (index, lane) in control.lanes.enumerated() {
            if lane.isLinked, let identity = lane.identity { control.setLevel(saved[identity], lane: index) }
        }
        control.publish()
        shareLevels(of: node)
        markStale(.sourceReaders)
    }

    private func lane(of source: GraphPort.ID, at node: LivePort, _ control: ReceiverControl) throws -> Int {
        guard let lane = control.lane(of: source) else {
            throw PipeBusError(.notConnected, "That source is not connected to \(node.title) any more.")
        }
        return lane
    }
}
