// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// A diagram as text for people: the apps, their ports, what feeds each, and the pipelines.
struct GraphTree {
    /// The largest number of pipelines that are listed.
    static let longestList = 40

    private let diagram: GraphDiagram
    /// The width of the terminal; `nil` in a pipe, where lines have any length.
    private let columns: Int?
    private let hasColour: Bool
    private let signs: TreeSigns

    init(_ diagram: GraphDiagram, columns: Int? = nil, hasColour: Bool = false, isUnicode: Bool = true) {
        self.diagram = diagram
        self.columns = columns
        self.hasColour = hasColour
        signs = isUnicode ? .unicode : .ascii
    }

    /// Without the end of the last line.
    var text: String {
        let lines = heading + table.lines(columns: columns) + pipelines
        return lines.map { line in
            let cut = columns.map { line.columns > $0 ? line.fitted(to: $0) : line } ?? line
            return signs.shown(cut.text(hasColour: hasColour))
        }
        .joined(separator: "\n")
    }

    // MARK: Parts

    private var heading: [StyledText] {
        let ports = diagram.runningPorts
        guard !ports.isEmpty else { return [StyledText("There is no port in the graph.")] }
        var lines: [StyledText] = []
        if let filter = diagram.filter { lines.append(StyledText("Only what is connected with “\(filter)”.")) }
        let counts =
            [
                "\(Self.count(ports.count, "port")) of \(Self.count(diagram.runningAppCount, "app"))",
                Self.count(ports.reduce(0) { $0 + $1.feeds.count }, "connection"),
            ]
            + (diagram.absentAppCount == 0
                ? [] : ["\(Self.count(diagram.absentAppCount, "installed app")) not running"])
        lines.append(StyledText(counts.joined(separator: ", "), .dim))
        if let pace = diagram.pace {
            let cycle = DiagramText.milliseconds(pace.milliseconds(pace.quantum))
            let driver = pace.driver.map { ", driven by \($0)" } ?? ""
            lines.append(StyledText("\(pace.sampleRate) Hz, \(pace.quantum) frames (\(cycle)) a cycle\(driver)", .dim))
        }
        return lines
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// The largest number of apps with an empty line between each two.
    private static let mostGaps = 12

    private var table: TreeTable {
        var table = TreeTable()
        for (place, app) in diagram.apps.enumerated() {
            if place == 0 || diagram.apps.count <= Self.mostGaps || app.kind != .app { table.add(.gap) }
            let note = (app.id.map { "  \($0)" } ?? "") + (app.isRunning ? "" : "  not running")
            table.add(.heading(StyledText(app.name, app.isRunning ? .bold : .dim) + StyledText(note, .dim)))
            for port in app.ports {
                table.add(row(of: port, isRunning: app.isRunning))
                for (place, feed) in port.feeds.enumerated() {
                    table.add(row(of: feed, isLast: place == port.feeds.count - 1 && port.hidden.sources == 0))
                }
                if port.hidden.sources > 0 {
                    let text = "\(signs.lastBranch) and \(Self.count(port.hidden.sources, "other source"))"
                    table.add(.note(StyledText("    \(text)", .dim)))
                }
                if let problem = port.problem { table.add(.note(StyledText("    \(problem)", .warning))) }
            }
        }
        return table
    }

    private func row(of port: GraphDiagram.Port, isRunning: Bool) -> TreeTable.Row {
        let style = isRunning ? Self.style(of: port.kind) : .dim
        var notes: [StyledText] = []
        if port.hasOwnTitle {
            notes.append(StyledText("“\(port.title)”", isRunning ? .plain : .dim))
        }
        if !port.otherMedia.isEmpty { notes.append(StyledText(port.otherMedia.joined(separator: ", "), .dim)) }
        if let filter = port.auxiliaryOf { notes.append(StyledText("auxiliary input of \(filter)", .dim)) }
        if port.isBypassed { notes.append(StyledText("bypassed", .warning)) }
        if port.isLive { notes.append(StyledText("live", .dim)) }
        if let spread = port.latencySpread, spread > 0 {
            notes.append(StyledText("\(DiagramText.milliseconds(spread)) apart", .dim))
        }
        if port.hidden.destinations > 0 {
            notes.append(StyledText("and \(Self.count(port.hidden.destinations, "other destination"))", .dim))
        }
        let channels = [port.inputs, port.outputs].filter { $0 > 0 }.map(String.init)
        return .cells(
            TreeTable.Cells(
                name: StyledText("  \(signs.sign(of: port.kind)) \(ShellText.shown(port.uniqueName))", style),
                channels: StyledText(channels.joined(separator: signs.through), .dim),
                lanes: StyledText(port.lanes.map { "\($0.used) of \($0.all)" } ?? ""),
                latency: StyledText(port.latency.map(DiagramText.milliseconds) ?? ""), notes: notes))
    }

    private func row(of feed: GraphDiagram.Feed, isLast: Bool) -> TreeTable.Row {
        var notes: [StyledText] = []
        // First, because the end of the notes may be cut.
        if feed.isStalled { notes.append(StyledText("does not answer", .warning)) }
        if feed.medium != .audio { notes.append(StyledText(feed.medium.word, .dim)) }
        if feed.isMonitor { notes.append(StyledText("monitor", .dim)) }
        if feed.level?.isMuted == true { notes.append(StyledText("muted", .warning)) }
        if feed.isSilent, feed.level?.isMuted == false { notes.append(StyledText("not soloed", .warning)) }
        if feed.level?.isSoloed == true { notes.append(StyledText("solo", .filter)) }
        switch feed.isInLoop {
        case .yes: notes.append(StyledText("in a loop", .warning))
        case .unknown: notes.append(StyledText("perhaps in a loop", .dim))
        case .no: break
        }
        let links = feed.links.note.trimmingPrefix("  ")
        if !links.isEmpty { notes.append(StyledText(String(links), .warning)) }
        return .cells(
            TreeTable.Cells(
                name: StyledText("    \(isLast ? signs.lastBranch : signs.branch) ", .dim)
                    + StyledText(ShellText.shown(feed.uniqueName)),
                lanes: StyledText(feed.lanes.map(String.init).joined(separator: ", "), .dim),
                volume: StyledText(feed.level.map(DiagramText.volume) ?? ""),
                pan: StyledText(feed.level.map(DiagramText.pan) ?? ""),
                latency: StyledText(feed.latency.map(DiagramText.milliseconds) ?? "", .dim), notes: notes))
    }

    private static func style(of kind: GraphDiagram.Port.Kind) -> StyledText.Style {
        switch kind {
        case .sender: .sender
        case .filter: .filter
        case .receiver: .receiver
        case .playback, .capture, .monitor: .device
        }
    }

    private var pipelines: [StyledText] {
        guard !diagram.pipelines.isEmpty else { return [] }
        let shown = diagram.pipelines.prefix(Self.longestList)
        var lines = [StyledText(), StyledText("Pipelines", .bold)]
        let paths = shown.map { pipeline in
            var path = StyledText("  ")
            for (place, port) in pipeline.ports.enumerated() {
                if place > 0 { path.append(" \(signs.arrow) ", .dim) }
                path.append(ShellText.shown(port.uniqueName))
            }
            if pipeline.isLoop { path.append(" \(signs.loop)", .warning) }
            if pipeline.isContinuous == .unknown { path.append(" ?", .dim) }
            return path
        }
        let widest = paths.map(\.columns).max() ?? 0
        let width = columns.map { min(widest, max($0 - 12, 20)) } ?? widest
        for (pipeline, path) in zip(shown, paths) {
            let latency = StyledText(pipeline.latency.map(DiagramText.milliseconds) ?? "", .dim)
            lines.append(path.fitted(to: width) + StyledText("  ") + latency.fitted(to: 10, isRight: true))
        }
        let more = diagram.pipelines.count - shown.count
        if more > 0 { lines.append(StyledText("  and \(more) more, which --json has", .dim)) }
        if !diagram.hasAllPipelines { lines.append(StyledText("  The graph has more than can be counted.", .dim)) }
        return lines
    }
}
