// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// Makes a diagram of a graph. Pure.
struct DiagramBuilder {
    /// With the connections that receivers and filters have ended until their source answers: a person looks for those.
    private let graph: GraphSnapshot
    private let facts: GraphFacts
    private let names: [GraphPort.ID: String]
    /// Of all media.
    private let connections: [Connection]
    private let incoming: [GraphPort.ID: [Connection]]
    private let outgoing: [GraphPort.ID: [Connection]]
    private let loops: GraphLoops
    /// The ports that are shown.
    private let shown: Set<GraphPort.ID>
    private let filter: String?
    /// The installed apps that do not run.
    private let absent: [InstalledApp]

    /// - Parameters:
    ///   - filter: shows only ports whose app, name or title contains the text, and all that they are connected with.
    ///   - installed: apps that are shown too if they do not run.
    init(_ graph: GraphSnapshot, _ facts: GraphFacts, filter: String? = nil, installed: [InstalledApp] = []) {
        absent = installed.filter { app in
            !app.isRunning(in: graph) && filter.map { app.isNamed(byPart: $0) } != false
        }
        let graph = graph.connecting(
            graph.ports.flatMap { port in
                port.stalledSources.filter { graph.port($0)?.outputs.isEmpty == false }.map {
                    (source: $0, destination: port.id)
                }
            })
        self.graph = graph
        self.facts = facts
        self.filter = filter
        // Not cut: the names are typed into other commands. They are of bounded length already.
        names = Dictionary(
            graph.ports.map { ($0.id, TerminalText.printable(graph.uniqueName(of: $0))) },
            uniquingKeysWith: { first, _ in first })
        connections = Medium.allCases.flatMap { graph.connections(of: $0) }
        loops = graph.loops
        incoming = Dictionary(grouping: connections, by: \.destination)
        outgoing = Dictionary(grouping: connections, by: \.source)
        shown = filter.map { GraphFilter.ports(matching: $0, in: graph) } ?? Set(graph.ports.map(\.id))
    }

    var diagram: GraphDiagram {
        let (pipelines, isComplete) = pipelines()
        return GraphDiagram(
            pace: facts.pace.map { pace in
                GraphDiagram.Pace(
                    sampleRate: pace.sampleRate, quantum: pace.quantum,
                    driver: pace.driver.map { DiagramText.bounded($0) })
            }, apps: apps(), pipelines: pipelines, hasAllPipelines: isComplete,
            filter: filter.map { DiagramText.bounded($0) })
    }

    // MARK: Apps

    private func apps() -> [GraphDiagram.App] {
        let ports = graph.ports.filter { shown.contains($0.id) }
        let owned = Dictionary(grouping: ports.filter { !$0.isDevice }) { graph.peer(of: $0)?.id }
        var apps = graph.peersByProcess.compactMap { peers -> GraphDiagram.App? in
            let own = peers.flatMap { owned[$0.id] ?? [] }
            guard !own.isEmpty else { return nil }
            return GraphDiagram.App(
                kind: .app, name: DiagramText.bounded(peers.names),
                id: peers.compactMap(\.applicationID).first.map { DiagramText.bounded($0) },
                icon: peers.compactMap(\.iconName).first.map { DiagramText.bounded($0) }, process: peers[0].processID,
                clients: peers.map(\.id), ports: own.map { port($0, isOutputSide: false) })
        }
        // Apps of one name by their ports: one that has started again comes later, and is not the last for it.
        apps = apps.naturallySorted { [$0.name] + $0.ports.map(\.uniqueName) }
        apps += absent.enumerated().map { GraphDiagram.App($0.element, place: $0.offset) }
        func add(_ kind: GraphDiagram.App.Kind, _ name: String, _ ports: [GraphDiagram.Port]) {
            guard !ports.isEmpty else { return }
            apps.append(
                GraphDiagram.App(kind: kind, name: name, ports: ports.naturallySorted { [$0.title, $0.uniqueName] }))
        }
        add(.pipeWire, "PipeWire", (owned[nil] ?? []).map { port($0, isOutputSide: false) })
        let devices = ports.filter(\.isDevice)
        let outputs = devices.filter { $0.hasOutputs && $0.isSplit }.map { port($0, isOutputSide: true) }
        add(
            .devices, "Devices",
            devices.filter { $0.hasInputs || !$0.isSplit }.map { port($0, isOutputSide: false) }
                + outputs.filter { $0.kind == .capture })
        // A monitor that nothing listens to is of no interest.
        let heard = Set(connections.map { key(of: $0.source) })
        add(.monitors, "Monitors of devices", outputs.filter { $0.kind == .monitor && heard.contains($0.key) })
        return apps
    }

    // MARK: Ports

    /// The key of the side of a port that sound leaves from.
    private func key(of source: GraphPort.ID) -> String {
        graph.port(source).map { key($0, isOutputSide: true) } ?? "n\(source.serial)"
    }

    private func key(_ port: GraphPort, isOutputSide: Bool) -> String {
        "n\(port.id.serial)" + (port.isSplit && isOutputSide ? "o" : "")
    }

    private func port(_ port: GraphPort, isOutputSide: Bool) -> GraphDiagram.Port {
        let isSplit = port.isSplit
        let kind: GraphDiagram.Port.Kind =
            if isSplit {
                isOutputSide ? (port.isMonitorOnly ? .monitor : .capture) : .playback
            } else {
                port.isDevice ? .capture : GraphDiagram.Port.Kind(rawValue: port.kind.rawValue) ?? .filter
            }
        let feeds = isSplit && isOutputSide ? [] : feeds(of: port)
        let connections = isSplit && isOutputSide ? [] : incoming[port.id] ?? []
        // A filter by name leaves out sources, but the figures of a port are of all of them.
        let sound = connections.filter { $0.medium == .audio }
        let ages = sound.compactMap { latency(of: $0.source) }
        let onwards = isSplit && !isOutputSide ? [] : outgoing[port.id] ?? []
        let isReceiver = port.isPipeBus && port.kind == .receiver
        return GraphDiagram.Port(
            key: key(port, isOutputSide: isOutputSide), kind: kind, uniqueName: names[port.id] ?? "",
            title: title(port), id: port.id, icon: icon(of: port), isPipeBus: port.isPipeBus,
            inputs: isSplit && isOutputSide ? 0 : port.laneWidth,
            outputs: isSplit && !isOutputSide ? 0 : port.outputs.count,
            otherMedia: port.otherMediaWords.filter { isSplit ? $0.hasSuffix(isOutputSide ? "out" : "in") : true },
            hasInlet: port.hasInputs && !(isSplit && isOutputSide),
            hasOutlet: port.hasOutputs && !(isSplit && !isOutputSide),
            lanes: isReceiver ? (Set(sound.flatMap { lanes(of: $0, at: port) }).count, port.laneCount) : nil,
            isBypassed: port.isBypassed, isLive: port.isLiveSource && (!isSplit || isOutputSide),
            auxiliaryOf: port.auxiliaryOf.map { filter(named: $0, of: port) }, follows: receiver(followedBy: port),
            latency: latency(of: port.id),
            latencySpread: ages.count > 1 ? (ages.max() ?? 0) - (ages.min() ?? 0) : nil, feeds: feeds,
            hidden: (
                connections.count { !shown.contains($0.source) }, onwards.count { !shown.contains($0.destination) }
            ), problem: problem(of: port))
    }

    /// The name of the port's own icon.
    private func icon(of port: GraphPort) -> String? {
        guard let name = port.iconName, name != graph.peer(of: port)?.iconName else { return nil }
        return DiagramText.bounded(name)
    }

    private func title(_ port: GraphPort) -> String {
        let title = DiagramText.bounded(port.title)
        return title.allSatisfy(\.isWhitespace) ? names[port.id] ?? "?" : title
    }

    private func filter(named name: String, of port: GraphPort) -> String {
        let filter = graph.ports.first { $0.peer == port.peer && $0.kind == .filter && $0.isPipeBus && $0.name == name }
        return filter.flatMap { names[$0.id] } ?? DiagramText.bounded(name)
    }

    private func receiver(followedBy port: GraphPort) -> String? {
        guard port.followedReceiver != nil else { return nil }
        return graph.ports.first { $0.isFollowed(by: port) && shown.contains($0.id) }
            .map { key($0, isOutputSide: false) }
    }

    private func problem(of port: GraphPort) -> String? {
        guard case .failure(let error) = facts.levels[port.id] else { return nil }
        return DiagramText.bounded(error.message, to: 300)
    }

    private func latency(of port: GraphPort.ID) -> Double? {
        facts.latencies[port].flatMap { frames in facts.pace.map { $0.milliseconds(frames) } }
    }

    // MARK: Sources

    private func feeds(of port: GraphPort) -> [GraphDiagram.Feed] {
        let levels = try? facts.levels[port.id]?.get()
        let isAnySoloed = levels?.values.contains(where: \.isSoloed) == true
        let stalled = Set(port.stalledSources)
        let connected = (incoming[port.id] ?? []).compactMap { connection -> GraphDiagram.Feed? in
            guard shown.contains(connection.source), let source = graph.port(connection.source) else { return nil }
            let isAudio = connection.medium == .audio
            let level = isAudio ? levels?[source.id] : nil
            let isStalled = isAudio && stalled.contains(source.id)
            return GraphDiagram.Feed(
                source: key(of: source.id), uniqueName: names[source.id] ?? "", title: title(source),
                medium: connection.medium, lanes: lanes(of: connection, at: port).sorted(),
                links: isStalled && connection.links.isEmpty
                    ? LinkCount(present: 0, expected: nil) : LinkCount(of: connection, in: graph),
                level: level?.rounded,
                isSilent: level.map { $0.isMuted || isAnySoloed && !$0.isSoloed } ?? false,
                latency: isAudio ? latency(of: source.id) : nil,
                isInLoop: isAudio ? loops.certainty(of: connection) : .no,
                isMonitor: source.isDevice && source.isMonitorOnly,
                isStalled: isStalled)
        }
        return Dictionary(grouping: connected.naturallySorted(by: \.uniqueName)) {
            $0.lanes.first ?? ($0.isStalled ? .max : 0)
        }
        .sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// The lanes of a connection at a PipeBus receiver, from 1.
    private func lanes(of connection: Connection, at port: GraphPort) -> Set<Int> {
        guard connection.medium == .audio, port.isPipeBus, port.kind == .receiver else { return [] }
        let width = max(port.laneWidth, 1)
        return Set(connection.links.map { $0.input / width + 1 })
    }

    // MARK: Pipelines

    private func pipelines() -> (pipelines: [GraphDiagram.Pipeline], isComplete: Bool) {
        let list = graph.pipelines
        let pipelines = list.filter { $0.ports.allSatisfy { shown.contains($0.id) } }
        return (
            pipelines.naturallySorted { $0.ports.map { names[$0.id] ?? "" } }.map { pipeline in
                // What arrives at a port has left the one before it.
                let last = pipeline.ports.dropLast().last ?? pipeline.end
                let end = pipeline.ports.count - 1
                return GraphDiagram.Pipeline(
                    id: pipeline.id.description,
                    ports: pipeline.ports.enumerated().map { place, port in
                        (key(port, isOutputSide: place < end), names[port.id] ?? "", title(port))
                    }, isLoop: pipeline.isLoop,
                    isContinuous: pipeline.isContinuous, latency: latency(of: last.id))
            }, list.isComplete
        )
    }
}

extension GraphPort {
    /// Whether the port is a device whose two sides are shown apart. A virtual one that records gives what it gets.
    fileprivate var isSplit: Bool { isDevice && !(isLiveSource && !isOutputDevice && mayPassOn) }

    /// Whether all that it gives is the sound that it plays.
    fileprivate var isMonitorOnly: Bool {
        let outputs = Medium.allCases.flatMap { self.outputs(of: $0) }
        return !outputs.isEmpty && outputs.allSatisfy(\.isMonitor)
    }
}
