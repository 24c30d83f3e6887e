// SPDX-License-Identifier: MIT
import PipeBus

/// Makes the rows of both tables. Pure.
struct WatchRows {
    private let data: WatchData
    private let filter: String
    private let signs: TreeSigns
    private let labels: PortLabels
    private let ports: [String: GraphDiagram.Port]
    /// The keys of the ports that sound goes to, by those that it comes from.
    private let destinations: [String: [String]]

    /// - Parameter filter: a part of the names of what is shown, in upper or lower case; empty for everything.
    init(_ data: WatchData, filter: String = "", signs: TreeSigns = .unicode) {
        self.data = data
        self.filter = filter.lowercased()
        self.signs = signs
        labels = PortLabels(data.diagram)
        ports = Dictionary(data.diagram.ports.map { ($0.key, $0) }) { first, _ in first }
        var destinations: [String: [String]] = [:]
        for port in data.diagram.ports {
            for feed in port.feeds where feed.medium == .audio {
                destinations[feed.source, default: []].append(port.key)
            }
        }
        self.destinations = destinations
    }

    func rows(of view: WatchView) -> [WatchRow] {
        switch view {
        case .pipelines: pipelines
        case .ports: portRows
        }
    }

    /// The number of a view's rows that stand for what it is named after, filtered.
    func count(of view: WatchView) -> Int {
        switch view {
        case .pipelines: pipelines.count { $0.isSelectable }
        case .ports: portRows.count { if case .port = $0.id { true } else { false } }
        }
    }

    private func matches(_ texts: String?...) -> Bool {
        filter.isEmpty || texts.contains { $0?.lowercased().contains(filter) == true }
    }

    // MARK: Pipelines

    private var pipelines: [WatchRow] {
        let all = data.diagram.pipelines.filter { pipeline in
            pipeline.ports.contains { matches(labels[$0.key], $0.uniqueName, $0.title) }
        }
        let sorted = all.naturallySorted { $0.ports.map { labels[$0.key] } }.map(row)
        guard !data.diagram.hasAllPipelines else { return sorted }
        let note = StyledText("and more than can be counted", .dim)
        return sorted + [WatchRow(id: .note("more"), name: note)]
    }

    private func row(of pipeline: GraphDiagram.Pipeline) -> WatchRow {
        let keys = pipeline.ports.map(\.key)
        let hops = zip(keys, keys.dropFirst()).map { source, destination in
            ports[destination]?.feeds.first { $0.source == source && $0.medium == .audio }
        }
        let last = hops.last ?? nil
        var row = WatchRow(id: .pipeline(keys), level: last?.level, latency: pipeline.latency)
        for (place, key) in keys.enumerated() {
            if place > 0 { row.name.append(" \(signs.arrow) ", .dim) }
            row.name.append(labels[key], last?.isSilent == true ? .dim : .plain)
            if let id = data.id(ofKey: key), ports[key]?.kind == .filter, ports[key]?.isPipeBus == true {
                row.filters.append(id)
            }
        }
        row.edges = zip(keys, keys.dropFirst()).compactMap { edge(from: $0, to: $1) }
        row.metered = keys.dropLast().last.flatMap(data.id(ofKey:))
        row.outlet = keys.first.flatMap { ports[$0]?.outputs ?? 0 > 0 ? data.id(ofKey: $0) : nil }
        if let last { (row.alerts, row.notes) = (alerts(of: last), notes(of: last)) }
        for (hop, key) in zip(hops.dropLast(), keys) where hop?.isStalled == true {
            row.alerts.append(StyledText("\(labels[key]) does not answer", .warning))
        }
        for key in keys where ports[key]?.isBypassed == true {
            row.notes.append(StyledText("\(labels[key]) bypassed", .filter))
        }
        if pipeline.isLoop { row.notes.append(StyledText("\(signs.loop) in a loop", .warning)) }
        if pipeline.isContinuous == .unknown { row.details.append(StyledText("perhaps interrupted", .dim)) }
        let xruns = keys.compactMap { data.id(ofKey: $0).flatMap { data.figures[$0]?.xruns } }.max() ?? 0
        if xruns > 0 { row.details.append(StyledText("\(xruns) xrun\(xruns == 1 ? "" : "s")", .dim)) }
        return row
    }

    private func edge(from source: String, to destination: String) -> WatchEdge? {
        guard let source = data.id(ofKey: source), let destination = data.id(ofKey: destination) else { return nil }
        return WatchEdge(source: source, destination: destination)
    }

    // MARK: Ports

    private var portRows: [WatchRow] {
        var rows: [WatchRow] = []
        for (place, app) in data.diagram.apps.enumerated() {
            let own = app.ports.compactMap { port -> [WatchRow]? in
                let isWhole = matches(app.name, app.id, port.uniqueName, port.title)
                let feeds = port.feeds.filter { isWhole || matches($0.uniqueName, $0.title, labels[$0.source]) }
                return isWhole || !feeds.isEmpty ? [row(of: port)] + self.rows(of: feeds, at: port) : nil
            }
            guard !own.isEmpty else { continue }
            let heading = StyledText(app.name, .bold) + StyledText(app.id.map { "  \($0)" } ?? "", .dim)
            rows.append(WatchRow(id: .app(place), name: heading))
            rows += own.joined()
        }
        return rows
    }

    private func row(of port: GraphDiagram.Port) -> WatchRow {
        let id = data.id(ofKey: port.key)
        var row = WatchRow(
            id: .port(port.key),
            name: StyledText("  \(signs.sign(of: port.kind)) \(ShellText.shown(port.uniqueName))", port.kind.style),
            metered: port.outputs > 0 && port.kind != .playback ? id : nil, latency: port.latency,
            // Both sides of a device are one node.
            figures: id.flatMap { port.kind == .monitor ? nil : data.figures[$0] })
        if port.outputs > 0 { row.outlet = id }
        if port.kind == .filter, port.isPipeBus { row.filters = [id].compactMap(\.self) }
        row.edges = (destinations[port.key] ?? []).compactMap { edge(from: port.key, to: $0) }
        if port.hasOwnTitle {
            row.details.append(StyledText("“\(port.title)”"))
        }
        if row.figures?.isStalled == true { row.alerts.append(StyledText("does not answer", .warning)) }
        if port.isBypassed { row.notes.append(StyledText("bypassed", .filter)) }
        if !port.otherMedia.isEmpty { row.details.append(StyledText(port.otherMedia.joined(separator: ", "), .dim)) }
        if let filter = port.auxiliaryOf { row.details.append(StyledText("auxiliary input of \(filter)", .dim)) }
        if let problem = port.problem { row.notes.append(StyledText(problem, .warning)) }
        return row
    }

    private func rows(of feeds: [GraphDiagram.Feed], at port: GraphDiagram.Port) -> [WatchRow] {
        feeds.enumerated().map { place, feed in
            let branch = place == feeds.count - 1 ? signs.lastBranch : signs.branch
            var row = WatchRow(
                id: .feed(source: feed.source, destination: port.key),
                name: StyledText("    \(branch) ", .dim)
                    + StyledText(ShellText.shown(feed.uniqueName), feed.isSilent ? .dim : .plain),
                level: feed.level, latency: feed.latency, alerts: alerts(of: feed), notes: notes(of: feed))
            guard feed.medium == .audio else { return row }
            row.metered = data.id(ofKey: feed.source)
            row.edges = [edge(from: feed.source, to: port.key)].compactMap(\.self)
            row.outlet = row.metered
            return row
        }
    }

    private func alerts(of feed: GraphDiagram.Feed) -> [StyledText] {
        var alerts: [StyledText] = []
        if feed.isStalled { alerts.append(StyledText("does not answer", .warning)) }
        if feed.level?.isMuted == true { alerts.append(StyledText("muted", .warning)) }
        if feed.isSilent, feed.level?.isMuted == false { alerts.append(StyledText("not soloed", .warning)) }
        if feed.level?.isSoloed == true { alerts.append(StyledText("solo", .filter)) }
        return alerts
    }

    private func notes(of feed: GraphDiagram.Feed) -> [StyledText] {
        var notes: [StyledText] = []
        if feed.medium != .audio { notes.append(StyledText(feed.medium.word, .dim)) }
        let links = feed.links.note.trimmingPrefix("  ")
        if !links.isEmpty { notes.append(StyledText(String(links), .warning)) }
        return notes
    }
}

extension GraphDiagram.Port.Kind {
    /// The colour of ports of the kind.
    var style: StyledText.Style {
        switch self {
        case .sender: .sender
        case .filter: .filter
        case .receiver: .receiver
        case .playback, .capture, .monitor: .device
        }
    }
}
