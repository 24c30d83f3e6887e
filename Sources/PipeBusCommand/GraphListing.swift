// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The graph as `list` shows it: a value that is printed or encoded.
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
        var node: String
        var name: String
        var title: String
        var kind: String
        var serial: UInt64
        var isPipeBus: Bool
        var isDevice: Bool
        /// Channels it gives.
        var outputs: [String]
        /// Channels of one source that it takes.
        var inputs: [String]
        /// How many sources it keeps apart.
        var lanes: Int
        /// A PipeBus filter that passes on what it takes.
        var isBypassed: Bool
        /// Node names of the ports that it is connected to.
        var destinations: [String]
        /// Of a PipeBus receiver: how it mixes its sources, by their node names.
        var levels: [String: SourceLevel]?
        /// Why those are not known.
        var problem: String?
    }

    var apps: [App]

    /// - Parameter levels: of the receivers that told theirs, or why they did not.
    init(_ graph: GraphSnapshot, levels: [GraphPort.ID: Result<[GraphPort.ID: SourceLevel], PipeBusError>]) {
        func named(_ levels: [GraphPort.ID: SourceLevel]?) -> [String: SourceLevel]? {
            levels.map { levels in
                Dictionary(
                    levels.compactMap { id, level in graph.port(id).map { ($0.nodeName, level) } },
                    uniquingKeysWith: { first, _ in first })
            }
        }
        func problem(_ result: Result<[GraphPort.ID: SourceLevel], PipeBusError>?) -> String? {
            if case .failure(let error) = result { error.message } else { nil }
        }
        func port(_ port: GraphPort) -> Port {
            Port(
                node: port.nodeName, name: port.name, title: port.title, kind: port.kind.rawValue,
                serial: port.id.serial, isPipeBus: port.isPipeBus, isDevice: port.isDevice,
                outputs: port.outputs.map(\.name), inputs: port.inputs.prefix(port.laneWidth).map(\.name),
                lanes: port.laneCount, isBypassed: port.isBypassed,
                destinations: graph.destinations(of: port.id).map(\.nodeName),
                levels: named(try? levels[port.id]?.get()), problem: problem(levels[port.id]))
        }
        apps = graph.peers.map { peer in
            App(
                name: peer.name, id: peer.applicationID, icon: peer.iconName, process: peer.processID,
                ports: graph.ports.filter { $0.peer == peer.id }.map(port))
        }
        let others = graph.ports.filter { graph.peer(of: $0) == nil }
        if !others.isEmpty { apps.append(App(ports: others.map(port))) }
    }

    /// For people.
    var text: String {
        guard !apps.isEmpty else { return "There is no port in the graph." }
        return apps.map { app in
            let title = app.name.map { name in app.id.map { "\(name) (\($0))" } ?? name } ?? "PipeWire"
            return ([title] + app.ports.flatMap(lines)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private func lines(of port: Port) -> [String] {
        var channels: [String] = []
        if !port.inputs.isEmpty { channels.append("\(count(port.inputs.count)) in") }
        if port.lanes > 1 { channels[0] += " × \(port.lanes) lanes" }
        if !port.outputs.isEmpty { channels.append("\(count(port.outputs.count)) out") }
        let kind = port.isDevice ? "device" : port.kind
        if port.isBypassed { channels.append("bypassed") }
        let title = port.title == port.node ? "" : "  “\(Self.shown(port.title))”"
        return ["  \(kind)  \(Self.shown(port.node))\(title)  \(channels.joined(separator: ", "))"]
            + port.destinations.map { "      → \(Self.shown($0))" }
            + (port.levels ?? [:]).sorted { $0.key < $1.key }
            .map { "      ← \(Self.shown($0.key))  \(Self.text(of: $0.value))" }
            + (port.problem.map { ["      " + Self.shown($0)] } ?? [])
    }

    private static func text(of level: SourceLevel) -> String {
        ["volume \(Decimal.text(level.volume)), pan \(Decimal.text(level.pan))"]
            .appending("muted", if: level.isMuted).appending("solo", if: level.isSoloed).joined(separator: ", ")
    }

    private func count(_ channels: Int) -> String {
        switch channels {
        case 1: "mono"
        case 2: "stereo"
        default: "\(channels) channels"
        }
    }

    /// Names come from other processes: nothing of theirs may reach the terminal as a command.
    private static func shown(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}

extension [String] {
    fileprivate func appending(_ word: String, if isTrue: Bool) -> [String] { isTrue ? self + [word] : self }
}
