// SPDX-License-Identifier: MIT
import PipeBus

/// A diagram as a graph of Graphviz: `pipebus graph --dot | dot -Tpng`.
struct GraphDOT {
    private let diagram: GraphDiagram

    init(_ diagram: GraphDiagram) { self.diagram = diagram }

    var text: String {
        var lines = [
            "digraph pipebus {",
            "  graph [rankdir=LR, nodesep=0.25, ranksep=0.9, fontname=\"sans-serif\", bgcolor=white]",
            "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11, color=\"#94a3b8\"]",
            "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#64748b\", arrowsize=0.7]",
        ]
        for (place, app) in diagram.apps.enumerated() {
            lines.append("  subgraph cluster_\(place) {")
            lines.append(
                "    graph [label=\(DiagramText.dot(app.label)), style=\"rounded,filled\", color=\"#e2e8f0\", fillcolor=\"#f8fafc\"\(app.isRunning ? "" : ", fontcolor=\"\(DiagramColours.absent.text)\"")]"
            )
            for port in app.ports {
                let fill = app.isRunning ? DiagramColours.tint(of: port.kind) : DiagramColours.absent.fill
                let grey = DiagramColours.absent
                let faint = app.isRunning ? "" : ", color=\"\(grey.frame)\", fontcolor=\"\(grey.text)\""
                let label = ([port.title] + words(of: port)).joined(separator: " · ")
                lines.append(
                    "    \(port.key) [label=\(DiagramText.dot(label)), tooltip=\(DiagramText.dot(port.uniqueName)), fillcolor=\"\(fill)\"\(faint)]"
                )
            }
            lines.append("  }")
        }
        for port in diagram.ports {
            for feed in port.feeds {
                let label = DiagramText.dot(Self.words(of: feed).joined(separator: ", "))
                let style =
                    feed.isInLoop == .yes
                    ? ", color=\"#e11d48\", style=dashed, constraint=false"
                    : feed.medium == .audio ? "" : ", style=dotted"
                lines.append("  \(feed.source) -> \(port.key) [label=\(label)\(style)]")
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func words(of port: GraphDiagram.Port) -> [String] {
        var words: [String] = []
        if let lanes = port.lanes { words.append("\(lanes.used) of \(lanes.all) lanes") }
        if port.isBypassed { words.append("bypassed") }
        if let latency = port.latency { words.append(DiagramText.milliseconds(latency)) }
        return words
    }

    /// What a label of a connection says.
    static func words(of feed: GraphDiagram.Feed) -> [String] {
        var words = feed.medium == .audio ? [] : [feed.medium.word]
        if feed.isStalled { words.append("does not answer") }
        if let level = feed.level {
            if level.volume != 1 { words.append(DiagramText.volume(level)) }
            if level.pan != 0 { words.append(DiagramText.pan(level)) }
            if level.isMuted { words.append("muted") }
            if level.isSoloed { words.append("solo") }
        }
        if let latency = feed.latency, latency > 0 { words.append(DiagramText.milliseconds(latency)) }
        return words
    }
}
