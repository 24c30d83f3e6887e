// SPDX-License-Identifier: MIT
import PipeBus

/// A diagram as a flowchart of Mermaid, which GitHub and GitLab draw in Markdown.
struct GraphMermaid {
    private let diagram: GraphDiagram

    init(_ diagram: GraphDiagram) { self.diagram = diagram }

    var text: String {
        var lines = ["flowchart LR"]
        for (place, app) in diagram.apps.enumerated() {
            lines.append("  subgraph app\(place) [\(DiagramText.mermaid(app.label))]")
            for port in app.ports {
                let (open, close) = Self.brackets(of: port.kind)
                let look = app.isRunning ? port.kind.rawValue : "absent"
                lines.append("    \(port.key)\(open)\(DiagramText.mermaid(port.title))\(close):::\(look)")
            }
            lines.append("  end")
        }
        for port in diagram.ports {
            for feed in port.feeds {
                let words = GraphDOT.words(of: feed).joined(separator: ", ")
                let label = words.isEmpty ? "" : "|\(DiagramText.mermaid(words))|"
                let arrow = feed.isInLoop == .yes || feed.medium != .audio ? "-.->" : "-->"
                lines.append("  \(feed.source) \(arrow)\(label) \(port.key)")
            }
        }
        for kind in GraphDiagram.Port.Kind.allCases where diagram.runningPorts.contains(where: { $0.kind == kind }) {
            let (fill, stroke) = (DiagramColours.tint(of: kind), DiagramColours.accent(of: kind))
            lines.append("  classDef \(kind.rawValue) fill:\(fill),stroke:\(stroke),color:#0f172a")
        }
        if diagram.absentAppCount > 0 {
            let grey = DiagramColours.absent
            lines.append("  classDef absent fill:\(grey.fill),stroke:\(grey.frame),color:\(grey.text)")
        }
        return lines.joined(separator: "\n")
    }

    private static func brackets(of kind: GraphDiagram.Port.Kind) -> (String, String) {
        switch kind {
        case .sender: ("([", "])")
        case .filter: ("{{", "}}")
        case .receiver: ("[", "]")
        case .playback, .capture, .monitor: ("[(", ")]")
        }
    }
}
