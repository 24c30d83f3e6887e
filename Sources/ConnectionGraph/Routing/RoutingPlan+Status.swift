// SPDX-License-Identifier: MIT

extension RoutingPlan {
    package var status: RoutingStatus {
        var lines: [[RoutingStatus.Line]] = Array(repeating: [], count: preset.connections.count)
        var isSettled = !isNew
        for pair in pairs {
            guard let record = records[pair] else { continue }
            if isUnderWay(record) { isSettled = false }
            lines[record.index].append(line(pair, record))
        }
        let bypassLines = bypassed.compactMap { filter -> RoutingStatus.BypassLine? in
            guard let record = bypasses[filter] else { return nil }
            if isUnderWay(record) { isSettled = false }
            let isSet = if case .done = record.level { true } else { false }
            return RoutingStatus.BypassLine(
                index: record.index, filter: filter, name: name(of: filter),
                isBypassed: preset.bypasses[record.index].isBypassed, isSet: isSet, problem: problem(record))
        }
        let all = lines.enumerated().flatMap { index, lines in
            lines.isEmpty && !isCovered(index) ? [waiting(index)] : lines
        }
        return RoutingStatus(connections: all, bypasses: bypassLines, isSettled: isSettled, isComplete: isComplete)
    }

    private func isUnderWay(_ record: RoutingRecord) -> Bool {
        switch record.phase {
        case .due, .partial, .making, .lost: return true
        case .connected:
            switch record.level {
            case .due, .underWay: return true
            case .none, .done, .failed: return false
            }
        case .removed, .stopped, .failed, .different, .leftOut: return false
        }
    }

    private func line(_ pair: Pair, _ record: RoutingRecord) -> RoutingStatus.Line {
        let state: RoutingStatus.State =
            switch record.phase {
            case .due, .partial, .making: .making
            // It may be back in a moment.
            case .connected, .lost: .connected(isMade: record.isMade)
            case .removed: .removed
            case .stopped: .stopped
            case .failed(let reason, _): .failed(reason)
            case .different:
                .failed("The two are connected with other channels; disconnect them to have those of the routing.")
            case .leftOut(let reason, _): .leftOut(reason)
            }
        return RoutingStatus.Line(
            index: record.index, source: pair.source, destination: pair.destination, sourceName: name(of: pair.source),
            destinationName: name(of: pair.destination), state: state, levelProblem: problem(record))
    }

    private func problem(_ record: RoutingRecord) -> String? {
        if case .failed(let reason) = record.level { reason } else { nil }
    }

    private func name(of id: GraphPort.ID) -> String {
        guard let port = graph.port(id) else { return ":\(id.serial)" }
        return shownNames[id] ?? port.nodeName
    }

    /// The names of wanted ports: with their serials, as a unique name has them, where several ports have one name.
    ///
    /// - Complexity: O(*n*) in the number of ports.
    mutating func findNames() {
        let wanted = Set(pairs.flatMap { [$0.source, $0.destination] } + bypassed).compactMap { graph.port($0) }
        var counts = Dictionary(wanted.map { ($0.nodeName, 0) }, uniquingKeysWith: { first, _ in first })
        for port in graph.ports where counts[port.nodeName] != nil { counts[port.nodeName]! += 1 }
        shownNames = [:]
        for port in wanted {
            let isUnique = counts[port.nodeName] == 1 && !port.nodeName.isEmpty
            shownNames[port.id] = isUnique ? port.nodeName : "\(RoutingError.shown(port.nodeName)):\(port.id.serial)"
        }
    }

    /// Whether all pairs of a connection are those of connections before it.
    private func isCovered(_ index: Int) -> Bool {
        let connection = preset.connections[index]
        let sources = matches.ports(.init(matcher: connection.source, role: .source))
        let destinations = matches.ports(.init(matcher: connection.destination, role: .destination))
        return sources.first.map { source in
            destinations.first.map { records[Pair(source: source, destination: $0)] != nil } ?? false
        } ?? false
    }

    private func waiting(_ index: Int) -> RoutingStatus.Line {
        let connection = preset.connections[index]
        let source = matches.ports(.init(matcher: connection.source, role: .source)).first
        let destination = matches.ports(.init(matcher: connection.destination, role: .destination)).first
        let missing = [source == nil ? connection.source : nil, destination == nil ? connection.destination : nil]
            .compactMap { $0?.description }
        return RoutingStatus.Line(
            index: index, source: source, destination: destination,
            sourceName: source.map(name) ?? connection.source.shortName,
            destinationName: destination.map(name) ?? connection.destination.shortName,
            state: .waiting(for: missing), levelProblem: nil)
    }
}
