// SPDX-License-Identifier: MIT

/// The steps of one connection.
extension RoutingPlan {
    /// The two ports of a connection, as they are now.
    private struct Ends {
        let source: GraphPort
        let destination: GraphPort
        /// `nil` without a link.
        let links: Connection?

        /// The channels of its links, by global ids.
        var channels: Set<UInt32> {
            Set((links?.links ?? []).flatMap { [source.outputs[$0.output].id, destination.inputs[$0.input].id] })
        }

        var channelCounts: [Int] { [source.outputs.count, destination.inputs.count, destination.laneWidth] }

        func hasChannels(_ ids: Set<UInt32>) -> Bool {
            ids.isSubset(of: (source.outputs + destination.inputs).map(\.id))
        }
    }

    /// How far a connection is there.
    private enum Presence {
        case absent
        /// Some of its links are missing.
        case partial
        case whole
        /// Its links are others than the routing wants.
        case different
    }

    mutating func step(_ pair: Pair, at now: Instant, _ actions: inout [Action]) {
        guard var record = records[pair], let source = graph.port(pair.source),
            let destination = graph.port(pair.destination)
        else { return }
        defer { records[pair] = record }
        let ends = Ends(
            source: source, destination: destination,
            links: graph.connection(from: pair.source, to: pair.destination))
        let presence = presence(of: record, ends)
        switch record.phase {
        case .making: return
        case .due(let time):
            guard presence == .absent else { return found(presence, &record, ends, at: now, &actions) }
            if time <= now { make(&record, ends, at: now, &actions) }
        case .partial(let since):
            guard presence == .partial else { return found(presence, &record, ends, at: now, &actions) }
            if since + Self.partDelay <= now { make(&record, ends, at: now, &actions) }
        case .connected:
            guard presence != .absent else {
                record.phase = .lost(since: now)
                return
            }
            if ends.links != nil { record.channels = ends.channels }
            setLevel(pair, &record, at: now, &actions)
        case .lost(let since):
            if presence != .absent {
                record.phase = .connected
            } else if !ends.hasChannels(record.channels) {
                // The app has taken away the channels too, and may add others.
                record.channels = []
                record.phase = .due(now + RoutingDelay.connection(1))
            } else if since + Self.removalDelay <= now {
                record.isMade = false
                record.phase = countRemoval(of: names(ends)) < 2 ? .removed : .stopped
            }
        case .removed:
            guard presence != .absent else { return }
            // Whoever has made it wants it.
            forgetRemovals(of: names(ends))
            record.phase = .connected
        case .stopped: if presence != .absent { record.phase = .connected }
        case .failed(_, let retry):
            if presence == .whole || presence == .different { return found(presence, &record, ends, at: now, &actions) }
            if record.channelCounts != ends.channelCounts {
                // Channels come one by one.
                record.attempts = 0
                record.phase = .due(now + RoutingDelay.setting(2))
            } else if let retry, retry <= now {
                make(&record, ends, at: now, &actions)
            }
        case .different: if presence != .different { found(presence, &record, ends, at: now, &actions) }
        case .leftOut(_, let recheck):
            if presence != .absent { return found(presence, &record, ends, at: now, &actions) }
            if let recheck, recheck <= now { make(&record, ends, at: now, &actions) }
        }
    }

    /// The connection is there, or a part of it, and the routing has not made it; or it is gone and may be made at once.
    private mutating func found(
        _ presence: Presence, _ record: inout RoutingRecord, _ ends: Ends, at now: Instant, _ actions: inout [Action]
    ) {
        switch presence {
        case .absent: make(&record, ends, at: now, &actions)
        case .partial: record.phase = .partial(since: now)
        case .whole: connected(&record, ends, at: now, &actions)
        case .different: record.phase = .different
        }
    }

    private mutating func connected(
        _ record: inout RoutingRecord, _ ends: Ends, at now: Instant, _ actions: inout [Action]
    ) {
        record.phase = .connected
        record.attempts = 0
        record.channels = ends.channels
        if case .none = record.level, preset.connections[record.index].level != nil { record.level = .due(now) }
        setLevel(Pair(source: ends.source.id, destination: ends.destination.id), &record, at: now, &actions)
    }

    private func presence(of record: RoutingRecord, _ ends: Ends) -> Presence {
        guard let links = ends.links else {
            // A receiver has disconnected a source that hangs, and connects it again.
            return ends.destination.stalledSources.contains(ends.source.id) ? .whole : .absent
        }
        let channels = preset.connections[record.index].channels
        guard let wanted = channels.pairs(from: ends.source, to: ends.destination) else { return .whole }
        guard let present = graph.channelPairs(of: links) else { return .different }
        return present == wanted ? .whole : present.isSubset(of: wanted) ? .partial : .different
    }

    // MARK: Making

    private mutating func make(
        _ record: inout RoutingRecord, _ ends: Ends, at now: Instant, _ actions: inout [Action]
    ) {
        let connection = preset.connections[record.index]
        guard removals[names(ends), default: 0] < 2 else {
            record.phase = .stopped
            return
        }
        guard actionCount < Self.mostActions else {
            if case .partial = record.phase { return }
            record.phase = .due(now)
            return
        }
        let pair = Pair(source: ends.source.id, destination: ends.destination.id)
        if connection.isRule, let reason = reasonAgainst(ends.source, ends.destination) {
            record.phase = .leftOut(reason, recheck: now + Self.recheckDelay)
            return
        }
        future = future?.connecting([(source: pair.source, destination: pair.destination)])
        actionCount += 1
        record.phase = .making
        record.channelCounts = ends.channelCounts
        actions.append(.connect(pair, connection.channels))
    }

    /// Why a rule does not connect two ports. A person who names both may.
    private mutating func reasonAgainst(_ source: GraphPort, _ destination: GraphPort) -> String? {
        let isOneApp =
            source.peer != nil && source.peer == destination.peer && !(source.isDevice && destination.isDevice)
        if isOneApp || graph.isOneApp(source, destination) { return "Both are ports of one app." }
        // Two harmless ones may close a loop together.
        let future = future ?? graph.connecting(making)
        self.future = future
        if future.selfConnection(from: source, to: destination) != nil { return "An app would hear itself." }
        switch future.wouldCloseLoop(from: source.id, to: destination.id) {
        case .no: return nil
        case .unknown: return "It could close a loop."
        case .yes: return "It would close a loop."
        }
    }

    /// The connections that are being made.
    private var making: [(source: GraphPort.ID, destination: GraphPort.ID)] {
        records.compactMap { pair, record in
            if case .making = record.phase { (source: pair.source, destination: pair.destination) } else { nil }
        }
    }

    package mutating func finished(_ action: Action, _ outcome: Outcome, at now: Instant) {
        switch action {
        case .connect(let pair, _):
            guard var record = records[pair], case .making = record.phase else { return }
            actionCount -= 1
            made(&record, outcome, at: now)
            records[pair] = record
        case .setLevel(let pair, _):
            guard var record = records[pair], case .underWay = record.level else { return }
            actionCount -= 1
            isSet(&record, outcome, at: now)
            records[pair] = record
        case .setBypass(let filter, _):
            guard var record = bypasses[filter], case .underWay = record.level else { return }
            actionCount -= 1
            isSet(&record, outcome, at: now)
            bypasses[filter] = record
        }
    }

    private func made(_ record: inout RoutingRecord, _ outcome: Outcome, at now: Instant) {
        record.attempts += 1
        switch outcome {
        case .done:
            record.isMade = true
            record.attempts = 0
            record.phase = .connected
            if case .none = record.level, preset.connections[record.index].level != nil { record.level = .due(now) }
        case .alreadyConnected: record.phase = .due(now + RoutingDelay.setting(record.attempts))
        case .removed: record.phase = .lost(since: now)
        case .failed(let reason, let isFinal):
            record.phase = .failed(reason, retry: isFinal ? nil : now + RoutingDelay.connection(record.attempts))
        }
    }

    // MARK: Removals

    private func names(_ ends: Ends) -> Names {
        Names(source: PortIdentity(ends.source, in: graph), destination: PortIdentity(ends.destination, in: graph))
    }

    private mutating func countRemoval(of names: Names) -> Int {
        if removals[names] == nil {
            if removalOrder.count >= Self.mostRemovals { removals[removalOrder.removeFirst()] = nil }
            removalOrder.append(names)
        }
        removals[names, default: 0] += 1
        return removals[names] ?? 0
    }

    private mutating func forgetRemovals(of names: Names) {
        guard removals.removeValue(forKey: names) != nil else { return }
        removalOrder.removeAll { $0 == names }
    }
}
