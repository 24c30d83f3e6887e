// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The graph in the form of `list`: a value that is printed or encoded.
struct GraphListing: Encodable {
    struct App: Encodable {
        /// `nil` for PipeWire itself, which owns the devices.
        var name: String?
        var id: String?
        var icon: String?
        var process: Int32?
        /// In the order in which the app added them.
        var ports: [Port]
    }

    struct Port: Encodable {
        /// PipeWire's name of the node; several ports may have the same.
        var node: String
        /// The name that finds exactly this port, in every command.
        var uniqueName: String
        var name: String
        var title: String
        var kind: String
        var serial: UInt64
        var isPipeBus: Bool
        var isDevice: Bool
        /// What it carries: "audio", "midi", "video", "other".
        var media: [String]
        /// Audio channels of the output.
        var outputs: [String]
        /// Audio channels of the input; for a receiver those of one source.
        var inputs: [String]
        /// Channels of other media.
        var otherOutputs: [OtherChannel]
        var otherInputs: [OtherChannel]
        /// The number of sources that the port keeps apart.
        var lanes: Int
        /// The unique name of the filter whose auxiliary input the port is, such as a side-chain's.
        var auxiliaryOf: String?
        /// Whether the port is a bypassed PipeBus filter.
        var isBypassed: Bool
        /// Unique names of the sources that the port has disconnected until they answer.
        var stalledSources: [String]
        /// Unique names of the ports that this port is connected to.
        var destinations: [String]
        /// The same with the links of each connection.
        var connections: [ConnectionLinks]
        /// The ports that feed the port.
        var sources: [ListedSource]
        /// The levels of a PipeBus receiver's sources, by their unique names; absent for a receiver that does not mix.
        var levels: [String: Source.Level]?
        /// The reason why the levels are not known.
        var problem: String?
    }

    struct OtherChannel: Encodable {
        var name: String
        var medium: String
    }

    /// Sorted by name, then the ports that no app owns.
    var apps: [App]
    /// The installed apps with ports, of `list --all`.
    var installed: [InstalledListing.App]?

    /// - Parameters:
    ///   - levels: each receiver's levels, or the reason why it has not published them.
    ///   - shown: the ports that are listed; `nil` for all.
    init(
        _ graph: GraphSnapshot, levels: [GraphPort.ID: Result<[GraphPort.ID: Source.Level], PipeBusError>],
        of shown: Set<GraphPort.ID>? = nil
    ) {
        func isShown(_ port: GraphPort) -> Bool { shown?.contains(port.id) ?? true }
        let names = Dictionary(uniqueKeysWithValues: graph.ports.map { ($0.id, graph.uniqueName(of: $0)) })
        let connections = Medium.allCases.flatMap { graph.connections(of: $0) }
        let sources = Dictionary(grouping: connections, by: \.destination)
        let destinations = Dictionary(grouping: connections, by: \.source)
        func problem(_ result: Result<[GraphPort.ID: Source.Level], PipeBusError>?) -> String? {
            if case .failure(let error) = result { error.message } else { nil }
        }
        func port(_ port: GraphPort) -> Port {
            let named = (try? levels[port.id]?.get()).map { levels in
                levels.compactMap { id, level in names[id].map { ($0, level.rounded) } }
            }
            return Port(
                node: port.nodeName, uniqueName: names[port.id] ?? port.nodeName, name: port.name, title: port.title,
                kind: port.kind.rawValue, serial: port.id.serial, isPipeBus: port.isPipeBus, isDevice: port.isDevice,
                media: Medium.allCases.filter(port.media.contains).map(\.rawValue),
                outputs: port.outputs.map(\.name), inputs: port.inputs.prefix(port.laneWidth).map(\.name),
                otherOutputs: OtherChannel.all(port.outputs(of:)), otherInputs: OtherChannel.all(port.inputs(of:)),
                lanes: port.laneCount, auxiliaryOf: Self.filter(of: port, in: graph, names),
                isBypassed: port.isBypassed,
                stalledSources: port.stalledSources.compactMap { names[$0] },
                destinations: graph.destinations(of: port.id).compactMap { names[$0.id] }.naturallySorted { $0 },
                connections: ConnectionLinks.all(destinations[port.id] ?? [], in: graph, names),
                sources: ListedSource.all(at: port, sources[port.id] ?? [], in: graph, names),
                levels: named.map { Dictionary($0) { first, _ in first } }, problem: problem(levels[port.id]))
        }
        // Apps of one name by their ports, whichever has started last.
        let sorted = graph.peersByProcess.naturallySorted { peers in
            [peers.names] + peers.flatMap { graph.ports(of: $0.id) }.compactMap { names[$0.id] }
        }
        apps = sorted.map { peers in
            App(
                name: peers.names, id: peers.compactMap(\.applicationID).first,
                icon: peers.compactMap(\.iconName).first, process: peers[0].processID,
                ports: peers.flatMap { graph.ports(of: $0.id) }.filter(isShown).map(port))
        }
        if shown != nil { apps.removeAll(where: \.ports.isEmpty) }
        let others = graph.ports.filter { graph.peer(of: $0) == nil && isShown($0) }.naturallySorted {
            names[$0.id] ?? ""
        }
        if !others.isEmpty { apps.append(App(ports: others.map(port))) }
    }

    /// The unique name of the filter whose auxiliary input a port is. An app that lists the one without the other has its own name
    /// for it.
    private static func filter(
        of port: GraphPort, in graph: GraphSnapshot, _ names: [GraphPort.ID: String]
    ) -> String? {
        guard let name = port.auxiliaryOf else { return nil }
        let others = port.peer.map { graph.ports(of: $0) } ?? []
        let filter = others.first { $0.kind == .filter && $0.isPipeBus && $0.name == name }
        return filter.flatMap { names[$0.id] } ?? name
    }

    /// The text for people. It holds nothing that a terminal would act on, whatever the names of ports, and no name is longer than a
    /// person reads.
    ///
    /// - Parameter hasColours: whether what does not run is dim.
    func text(hasColours: Bool) -> String {
        let installed = installed.map { InstalledListing(apps: $0).text(hasColours: hasColours) } ?? ""
        let present = apps.isEmpty ? "There is no port in the graph." : presentText
        return installed.isEmpty ? present : present + "\n\n" + installed
    }

    private var presentText: String {
        apps.map { app in
            let name = app.name.map { DiagramText.bounded($0) } ?? "PipeWire"
            let title = app.id.map { "\(name) (\(DiagramText.bounded($0)))" } ?? name
            return ([title] + app.ports.flatMap(lines)).map { TerminalText.printable($0) }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private func lines(of port: Port) -> [String] {
        var channels: [String] = []
        if !port.inputs.isEmpty { channels.append("\(count(port.inputs.count)) in") }
        if port.lanes > 1 { channels[0] += " × \(port.lanes) lanes" }
        if !port.outputs.isEmpty { channels.append("\(count(port.outputs.count)) out") }
        let kind = port.isDevice ? "device" : port.kind
        channels += Medium.words(port.otherInputs.compactMap(\.carried), "in")
        channels += Medium.words(port.otherOutputs.compactMap(\.carried), "out")
        if let filter = port.auxiliaryOf {
            channels.append("auxiliary input of \(DiagramText.bounded(ShellText.shown(filter)))")
        }
        if port.isBypassed { channels.append("bypassed") }
        let title = port.title == port.node ? "" : "  “\(DiagramText.bounded(port.title))”"
        return ["  \(kind)  \(ShellText.shown(port.uniqueName))\(title)  \(channels.joined(separator: ", "))"]
            + port.connections.map { "      → \(ShellText.shown($0.destination))\($0.links.note)\($0.mediumNote)" }
            + port.sources.map {
                "      ← \(ShellText.shown($0.uniqueName))\($0.links.note)\($0.mediumNote)\(text(of: $0, at: port))"
            }
            + disconnectedSources(of: port).map {
                "      ← \(ShellText.shown($0))  does not answer, disconnected until it does"
            }
            + (port.problem.map { ["      " + DiagramText.bounded($0, to: 300)] } ?? [])
    }

    /// One whose links are being made again is among the sources too.
    private func disconnectedSources(of port: Port) -> [String] {
        port.stalledSources.filter { name in !port.sources.contains { $0.uniqueName == name } }
    }

    private func text(of source: ListedSource, at port: Port) -> String {
        let lanes = (source.lanes ?? []).map(String.init).joined(separator: ", ")
        let words = [
            source.lanes == nil ? nil : port.levels?[source.uniqueName].map { Self.text(of: $0) },
            port.stalledSources.contains(source.uniqueName) ? "is being connected again" : nil,
            source.others.isEmpty
                ? nil : "shares lane \(lanes) with \(source.others.map(ShellText.shown).joined(separator: ", "))",
        ].compactMap(\.self)
        return words.isEmpty ? "" : "  " + words.joined(separator: ", ")
    }

    private static func text(of level: Source.Level) -> String {
        ["\(DiagramText.volume(level)), \(DiagramText.pan(level))"]
            .appending("muted", if: level.isMuted).appending("solo", if: level.isSoloed).joined(separator: ", ")
    }

    private func count(_ channels: Int) -> String {
        switch channels {
        case 1: "mono"
        case 2: "stereo"
        default: "\(channels) channels"
        }
    }
}

extension GraphListing.OtherChannel {
    fileprivate var carried: Medium? { Medium(rawValue: medium) }

    fileprivate static func all(_ channels: (Medium) -> [GraphPort.Channel]) -> [Self] {
        Medium.others.flatMap { medium in
            channels(medium).map { Self(name: $0.name, medium: medium.rawValue) }
        }
    }
}

extension [String] {
    fileprivate func appending(_ word: String, if isTrue: Bool) -> [String] { isTrue ? self + [word] : self }
}
