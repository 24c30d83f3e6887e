// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// A diagram as a picture: from the senders on the left to the receivers on the right. It needs no other file and no script.
struct GraphSVG {
    private let diagram: GraphDiagram
    private let layout: DiagramLayout
    private let ports: [GraphDiagram.Port]
    private let faces: GraphFaces
    private let absentFaces: [String: IconImage]

    /// - Parameters:
    ///   - faces: the pictures of apps and ports; an app without one has the first letter of its name.
    ///   - absentFaces: those of apps that do not run, by their ids.
    init(_ diagram: GraphDiagram, faces: GraphFaces = GraphFaces(), absentFaces: [String: IconImage] = [:]) {
        self.diagram = diagram
        self.faces = faces
        self.absentFaces = absentFaces
        layout = DiagramLayout(diagram)
        ports = diagram.ports
    }

    var text: String {
        var canvas = SVGCanvas()
        heading(&canvas)
        // Lines that lead back are below the others. Those of one port are one line: they do not cut each other where they part.
        let groups = Dictionary(grouping: layout.lines) { [$0.isBackward ? 0 : 1, $0.edge.source] }
        for (_, lines) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            for line in lines { canvas.gap(line.points, isBackward: line.isBackward) }
            for line in lines { draw(line, on: &canvas) }
        }
        let sharedTitles = sharedTitles
        var ids: [IconImage: String] = [:]
        /// The id of a picture, which is in the document once, however many apps and ports have it.
        func id(of icon: IconImage?) -> String? {
            guard let icon else { return nil }
            if let id = ids[icon] { return id }
            let id = "icon\(ids.count)"
            ids[icon] = id
            canvas.define(icon, as: id)
            return id
        }
        for card in layout.cards {
            let app = diagram.apps[card.app]
            let icon = id(
                of: app.isRunning
                    ? app.clients.lazy.compactMap { faces.apps[$0] }.first : app.id.flatMap { absentFaces[$0] })
            let own = card.ports.map { ($0.place, id(of: ports[$0.place].id.flatMap { faces.ports[$0] })) }
            SVGCard(
                card, app, ports, sharedTitles: sharedTitles, icon: icon,
                portIcons: Dictionary(uniqueKeysWithValues: own).compactMapValues(\.self), colour: colour
            ).draw(on: &canvas)
        }
        return canvas.document(width: layout.width, height: layout.height, title: "Audio graph")
    }

    /// The titles that several ports have. Both sides of a device are one port.
    private var sharedTitles: Set<String> {
        let names = Dictionary(grouping: ports, by: \.title).mapValues { Set($0.map(\.uniqueName)) }
        return Set(names.filter { $0.value.count > 1 }.keys)
    }

    // MARK: Heading

    private func heading(_ canvas: inout SVGCanvas) {
        let x = DiagramLayout.margin
        canvas.text("Audio graph", x: x, y: 46, size: 22, weight: 700)
        for (place, line) in summary.enumerated() {
            canvas.text(
                line, x: x, y: 70 + Double(place) * 18, size: 12.5, colour: DiagramColours.quiet,
                width: layout.width - 2 * x)
        }
        let contents = layout.layers.contents
        for (place, column) in layout.columns.enumerated() where place == 0 || contents[place] != contents[place - 1] {
            canvas.text(
                title(of: contents[place]), x: column.x + 2, y: DiagramLayout.top - 14, size: 10.5, weight: 600,
                colour: DiagramColours.quiet, spacing: 1.4)
        }
    }

    private func title(of content: DiagramLayers.Content) -> String {
        switch content {
        case .senders: "SENDERS"
        case .filters: ports.contains { $0.follows != nil } ? "FILTERS AND MIXERS" : "FILTERS"
        case .receivers: "RECEIVERS"
        }
    }

    private var summary: [String] {
        let ports = diagram.runningPorts
        guard !ports.isEmpty else { return ["There is no port in the graph."] }
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let filter = diagram.filter.map { "Only what is connected with “\($0)”:  " } ?? ""
        let counts =
            [
                count(ports.count, "port"), count(diagram.runningAppCount, "app"),
                count(layout.lines.count, "connection"),
            ]
            + (diagram.absentAppCount == 0 ? [] : ["\(count(diagram.absentAppCount, "installed app")) not running"])
        guard let pace = diagram.pace else { return [filter + counts.joined(separator: "  ·  ")] }
        let cycle = DiagramText.milliseconds(pace.milliseconds(pace.quantum))
        let driver = pace.driver.map { ["driven by \($0)"] } ?? []
        return [
            filter + counts.joined(separator: "  ·  "),
            (["\(pace.sampleRate) Hz", "\(pace.quantum) frames (\(cycle)) a cycle"] + driver).joined(
                separator: "  ·  "),
        ]
    }

    // MARK: Lines

    /// The colour of a port's connections.
    private func colour(_ port: Int) -> String { DiagramColours.lines[port % DiagramColours.lines.count] }

    private func draw(_ line: DiagramLayout.Line, on canvas: inout SVGCanvas) {
        let destination = ports[line.edge.destination]
        let feed = destination.feeds[line.edge.feed]
        let isLoop = line.isBackward || feed.isInLoop == .yes
        let isUnheard = feed.isSilent || feed.isStalled
        let colour = isUnheard ? DiagramColours.faint : isLoop ? DiagramColours.loop : colour(line.edge.source)
        let tip = "\(ports[line.edge.source].tip) → \(destination.tip)"
        canvas.connection(
            line.points, isBackward: line.isBackward, colour: colour,
            isDashed: isUnheard || line.isBackward || feed.medium != .audio,
            tip: tip)
    }
}
