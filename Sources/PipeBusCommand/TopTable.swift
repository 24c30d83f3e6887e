// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// One table of `top`: a value that is shown or encoded.
struct TopTable: Encodable {
    struct Node: Encodable {
        /// The name that finds exactly this port, in every command; absent for a node that is no port.
        var name: String?
        var title: String
        var app: String?
        var isPipeBus: Bool
        var state: String
        var isDriver: Bool
        var driver: String?
        /// In frames.
        var quantum: Int?
        /// In hertz.
        var rate: Int?
        /// Shares of the cycle.
        var waiting: Double?
        var load: Double?
        var maximumLoad: Double?
        var xruns: Int
        var culprit: String?
        var isCulprit: Bool
        /// In milliseconds.
        var latency: Double?
    }

    /// The client's state: "running", or the reason why not.
    var state: String
    var isMeasured: Bool
    var nodes: [Node]
    /// One sentence for people about a table that is not whole.
    var note: String?

    init(_ activity: GraphActivity, in bus: BusClient) async {
        let graph = await bus.graph
        isMeasured = activity.isMeasured
        if case .interrupted(let reason) = bus.state {
            state = reason.kind.rawValue
            note = reason.message
        } else {
            state = "running"
            note =
                activity.isMeasured
                ? nil
                : "This daemon has no profiler, or gives no access to it, so there are no times and no xruns; load "
                    + "libpipewire-module-profiler in its configuration."
        }
        nodes = Self.sorted(
            activity.nodes.map { node in
                let port = node.port.flatMap { graph.port($0) }
                return Node(
                    name: port.map { graph.uniqueName(of: $0) }, title: node.title,
                    app: port.flatMap { graph.peer(of: $0)?.name },
                    isPipeBus: port?.isPipeBus ?? false, state: node.state.rawValue, isDriver: node.isDriver,
                    driver: node.driver, quantum: node.cycleLength, rate: node.sampleRate,
                    waiting: node.waiting.map(Self.rounded), load: node.load.map { Self.rounded($0.mean) },
                    maximumLoad: node.load.map { Self.rounded($0.maximum) }, xruns: node.xrunCount,
                    culprit: node.culprit,
                    isCulprit: node.isCulprit,
                    latency: node.latency.flatMap { frames in
                        node.sampleRate.map { Self.rounded(Float(frames) * 1000 / Float(max($0, 1))) }
                    })
            })
    }

    /// Each driver before the nodes that it drives, then those that no one drives; by their names within each group.
    static func sorted(_ nodes: [Node]) -> [Node] {
        // They come in groups already.
        var groups: [[Node]] = []
        var rest: [Node] = []
        for node in nodes {
            if node.isDriver {
                groups.append([node])
            } else if node.driver != nil, node.driver == groups.last?[0].title {
                groups[groups.count - 1].append(node)
            } else {
                rest.append(node)
            }
        }
        func names(of node: Node) -> [String] { [node.title, node.name ?? ""] }
        return groups.naturallySorted { names(of: $0[0]) }.flatMap {
            $0.prefix(1) + $0.dropFirst().naturallySorted(by: names)
        }
            + rest.naturallySorted(by: names)
    }

    private static func rounded(_ value: Float) -> Double { Decimal.rounded(Double(value), significantDigits: 4) }

    // MARK: Text

    private static let titles = ["S", "QUANT", "RATE", "WAIT", "BUSY", "MAX", "XRUNS", "LATENCY", "FAULT", "NAME"]
    private static let widths = [1, 5, 6, 6, 6, 6, 6, 9, 18]
    /// The columns that a narrow terminal does without, the first one first, for the names to fit.
    private static let spared = [3, 2, 1, 5, 7]
    private static let leastNameWidth = 28

    /// The columns that are left out at a width.
    private static func hidden(at columns: Int) -> Set<Int> {
        var hidden: Set<Int> = []
        for column in spared {
            let taken = widths.indices.filter { !hidden.contains($0) }.reduce(0) { $0 + widths[$1] + 1 }
            if columns - 1 - taken >= leastNameWidth { break }
            hidden.insert(column)
        }
        return hidden
    }

    /// The lines for a terminal of this size.
    func lines(columns: Int, rows: Int) -> [String] {
        let running = nodes.count { $0.state == NodeActivity.State.running.rawValue }
        let head =
            "pipebus top: \(nodes.count) node\(nodes.count == 1 ? "" : "s"), \(running) running"
            + (note.map { "; \($0)" } ?? "") + "  (q ends)"
        let hidden = Self.hidden(at: columns)
        let table = [Self.line(Self.titles, without: hidden)] + nodes.map { line($0, without: hidden) }
        let most = max(rows - 1, 1)
        let kept = table.count > most ? table.prefix(most - 1) + ["and \(table.count - most + 1) more"] : table[...]
        return ([head] + kept).map { TextColumns.fit(TerminalText.printable($0), to: max(columns - 1, 1)) }
    }

    /// The lines for a pipe.
    var plainLines: [String] {
        ((note.map { [$0] } ?? []) + [Self.line(Self.titles)] + nodes.map { line($0) }).map {
            TerminalText.printable($0)
        }
    }

    private func line(_ node: Node, without hidden: Set<Int> = []) -> String {
        let letters: [NodeActivity.State: String] = [.running: "R", .idle: "I", .stalled: "!"]
        let letter = NodeActivity.State(rawValue: node.state).flatMap { letters[$0] } ?? "?"
        let fault = node.isCulprit ? "itself" : node.culprit ?? "-"
        let indent = node.driver != nil && !node.isDriver ? "  " : ""
        let name = node.name.map { $0 == node.title ? $0 : "\(node.title) (\(ShellText.shown($0)))" } ?? node.title
        let cells = [
            letter, node.quantum.map(String.init) ?? "-", node.rate.map(String.init) ?? "-", Self.share(node.waiting),
            Self.share(node.load), Self.share(node.maximumLoad), isMeasured ? "\(node.xruns)" : "-",
            node.latency.map { Decimal.text($0, digits: 1) + " ms" } ?? "-", fault, indent + String(name.prefix(200)),
        ]
        return Self.line(cells, without: hidden)
    }

    private static func share(_ value: Double?) -> String {
        guard let value else { return "-" }
        // A daemon that stood still gives such numbers, and the column has no room for them.
        if value >= 100 { return ">9999%" }
        return value >= 10 ? Decimal.text(value * 100, digits: 0) + "%" : Decimal.text(value * 100, digits: 1) + "%"
    }

    private static func line(_ cells: [String], without hidden: Set<Int> = []) -> String {
        let columns = widths.indices.filter { !hidden.contains($0) }.map { index in
            // Numbers to the right; the fault is a name.
            TextColumns.fit(cells[index], to: widths[index], isRight: index > 0 && index < widths.count - 1)
        }
        return (columns + [cells[widths.count]]).joined(separator: " ")
    }
}
