// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// An app's ports in one column of the picture.
struct SVGCard {
    private let card: DiagramLayout.Card
    private let app: GraphDiagram.App
    private let ports: [GraphDiagram.Port]
    private let icon: String?
    private let portIcons: [Int: String]
    /// The titles that several ports have.
    private let sharedTitles: Set<String>
    private let colour: (Int) -> String

    /// - Parameters:
    ///   - sharedTitles: the titles that several ports have. Those ports show their names too.
    ///   - icon: the id of the app's icon in the picture.
    ///   - portIcons: those of ports that have one of their own, by their places.
    init(
        _ card: DiagramLayout.Card, _ app: GraphDiagram.App, _ ports: [GraphDiagram.Port], sharedTitles: Set<String>,
        icon: String?, portIcons: [Int: String] = [:], colour: @escaping (Int) -> String
    ) {
        self.sharedTitles = sharedTitles
        self.card = card
        self.app = app
        self.ports = ports
        self.icon = icon
        self.portIcons = portIcons
        self.colour = colour
    }

    func draw(on canvas: inout SVGCanvas) {
        if !app.isRunning { canvas.openFaint() }
        defer { if !app.isRunning { canvas.close() } }
        canvas.rect(
            x: card.x, y: card.y + 2, width: card.width, height: card.height, radius: 12, fill: DiagramColours.ink,
            opacity: 0.07)
        canvas.rect(
            x: card.x, y: card.y, width: card.width, height: card.height, radius: 12, fill: "#ffffff", stroke: "#e2e8f0"
        )
        heading(&canvas)
        for entry in card.ports {
            let port = ports[entry.place]
            canvas.open(tip: port.tip)
            draw(port, colour(entry.place), icon: portIcons[entry.place], top: card.y + entry.offset, on: &canvas)
            canvas.close()
        }
    }

    private func heading(_ canvas: inout SVGCanvas) {
        let middle = card.y + 16.5
        let note = app.isRunning ? nil : "not running"
        canvas.open(tip: [app.name, app.id, note].compactMap(\.self).joined(separator: ", "))
        if let icon {
            canvas.icon(icon, x: card.x + 19 - SVGCanvas.iconSize / 2, y: middle - SVGCanvas.iconSize / 2)
        } else {
            canvas.circle(x: card.x + 19, y: middle, radius: 9, fill: DiagramColours.badge(of: app))
            canvas.text(
                app.name.first.map { String($0).uppercased() } ?? "?", x: card.x + 19, y: middle + 3.8, size: 10.5,
                weight: 700, colour: "#ffffff", anchor: "middle", width: 14)
        }
        canvas.text(
            app.name, x: card.x + 35, y: middle + 4.5, size: 12.5, weight: 700,
            width: card.width - 48 - (note == nil ? 0 : 72))
        if let note {
            canvas.text(
                note, x: card.x + card.width - 18, y: middle + 4.5, size: 10.5, colour: DiagramColours.quiet,
                anchor: "end")
        }
        canvas.close()
    }

    // MARK: Ports

    private func draw(
        _ port: GraphDiagram.Port, _ colour: String, icon: String?, top: Double, on canvas: inout SVGCanvas
    ) {
        let accent = app.isRunning ? DiagramColours.accent(of: port.kind) : DiagramColours.quiet
        let (left, right) = (card.x, card.x + card.width)
        let middle = top + DiagramLayout.portHeight / 2
        canvas.rect(
            x: left + 8, y: top, width: card.width - 16, height: DiagramLayout.height(of: port), radius: 8,
            fill: "#f8fafc")
        canvas.rect(
            x: left + 8, y: top, width: card.width - 16, height: DiagramLayout.portHeight, radius: 8,
            fill: app.isRunning ? DiagramColours.tint(of: port.kind) : DiagramColours.absent.fill)
        canvas.sign(port.kind.sign, x: left + 18, y: middle - 8, colour: accent)
        // The icon stands between the sign of the kind and the title.
        let start = left + 42 + (icon == nil ? 0 : SVGCanvas.iconSize + 6)
        if let icon { canvas.icon(icon, x: left + 40, y: middle - SVGCanvas.iconSize / 2) }
        let end = right - 18
        let mark = mark(of: port)
        if let latency = port.latency {
            canvas.text(
                DiagramText.milliseconds(latency), x: end, y: mark == nil ? middle + 4 : middle - 2, size: 11,
                weight: 600,
                colour: accent, anchor: "end")
        }
        if let mark { badge(mark.text, right: end, y: middle + 3, colour: mark.colour, on: &canvas) }
        let width = end - start
        // With a gap between the two.
        let latencyWidth =
            port.latency.map {
                GlyphWidths.width(of: DiagramText.milliseconds($0), size: 11, isBold: true) + 8
            } ?? 0
        canvas.text(
            port.title, x: start, y: middle - 2, size: 12.5, weight: 600, width: width - latencyWidth)
        canvas.text(
            details(of: port), x: start, y: middle + 13, size: 10.5, colour: DiagramColours.quiet,
            width: width - (mark == nil ? latencyWidth : 74))
        for (place, feed) in port.feeds.enumerated() where port.lanes != nil {
            let y = top + DiagramLayout.portHeight + Double(place) * DiagramLayout.feedHeight
            canvas.open(tip: feed.tip)
            SVGFeed(feed, accent: accent, showsName: sharedTitles.contains(feed.title))
                .draw(left: left, right: right, top: y, on: &canvas)
            canvas.close()
        }
        if port.lanes == nil || port.feeds.isEmpty, port.hasInlet {
            canvas.circle(x: left, y: middle, radius: 4, fill: "#ffffff", stroke: accent)
        }
        if port.hasOutlet {
            canvas.circle(x: right, y: middle, radius: 4, fill: "#ffffff", stroke: app.isRunning ? colour : accent)
        }
    }

    private func details(of port: GraphDiagram.Port) -> String {
        var words = sharedTitles.contains(port.title) ? [ShellText.shown(port.uniqueName)] : []
        if port.inputs > 0, port.outputs > 0, port.inputs != port.outputs {
            words.append("\(DiagramText.channels(port.inputs)) in, \(DiagramText.channels(port.outputs)) out")
        } else if port.inputs > 0 || port.outputs > 0 {
            words.append(DiagramText.channels(max(port.inputs, port.outputs)))
        }
        words += port.otherMedia
        if let lanes = port.lanes { words.append("\(lanes.used) of \(lanes.all) lanes") }
        if let filter = port.auxiliaryOf { words.append("side-chain of \(filter)") }
        if let spread = port.latencySpread, spread > 0 { words.append("\(DiagramText.milliseconds(spread)) apart") }
        let hidden = port.hidden.sources + port.hidden.destinations
        if hidden > 0 { words.append("and \(hidden) more") }
        return words.joined(separator: " · ")
    }

    private func mark(of port: GraphDiagram.Port) -> (text: String, colour: String)? {
        if port.isBypassed { return ("BYPASSED", DiagramColours.accent(of: .filter)) }
        return port.isLive ? ("LIVE", DiagramColours.loop) : nil
    }

    private func badge(_ text: String, right: Double, y: Double, colour: String, on canvas: inout SVGCanvas) {
        let width = Double(text.count) * 6.6 + 12
        canvas.rect(x: right - width, y: y, width: width, height: 14, radius: 7, fill: colour)
        canvas.text(
            text, x: right - width / 2, y: y + 10.2, size: 8.5, weight: 700, colour: "#ffffff", anchor: "middle")
    }
}

extension GraphDiagram.Port.Kind {
    /// The sign of a kind, as a path in a box of 16 by 16 points.
    fileprivate var sign: StaticString {
        switch self {
        // A wave that leaves.
        case .sender: "M1 8h2l2-5 3 10 2-7 1.500 2h3.500"
        // Sliders.
        case .filter: "M3 2v6M3 12v2M8 2v2M8 8v6M13 2v7M13 13v1M1.500 10h3M6.500 6h3M11.500 11h3"
        // An arrow into a tray.
        case .receiver: "M8 1.500v8M4.500 6.500L8 10l3.500-3.500M1.500 10.500v3.500h13v-3.500"
        case .playback: "M2 6v4h2.500L8 13V3L4.500 6zM11 5.500a4 4 0 0 1 0 5M13 3.500a7 7 0 0 1 0 9"
        case .capture:
            "M8 1.500a2.200 2.200 0 0 0-2.200 2.200v3.600a2.200 2.200 0 0 0 4.400 0V3.700A2.200 2.200 0 0 0 8 1.500zM3.500 7.500a4.500 4.500 0 0 0 9 0M8 12v2.500"
        case .monitor: "M2 11V8a6 6 0 0 1 12 0v3M2 10.500h2.500v4H2zM11.500 10.500H14v4h-2.500z"
        }
    }
}
