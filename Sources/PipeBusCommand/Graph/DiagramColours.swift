// SPDX-License-Identifier: MIT

/// The colours of the pictures, as in CSS.
enum DiagramColours {
    /// For signs and frames.
    static func accent(of kind: GraphDiagram.Port.Kind) -> String {
        switch kind {
        case .sender: "#0f766e"
        case .filter: "#b45309"
        case .receiver: "#2563eb"
        case .playback, .capture: "#7c3aed"
        case .monitor: "#64748b"
        }
    }

    /// For areas behind dark text.
    static func tint(of kind: GraphDiagram.Port.Kind) -> String {
        switch kind {
        case .sender: "#ccfbf1"
        case .filter: "#fef3c7"
        case .receiver: "#dbeafe"
        case .playback, .capture: "#ede9fe"
        case .monitor: "#f1f5f9"
        }
    }

    /// For the connections, by their sources: told apart also by people who see few colours.
    static let lines = [
        "#0f766e", "#c2410c", "#1d4ed8", "#a21caf", "#4d7c0f", "#b45309", "#0369a1", "#be123c", "#6d28d9", "#047857",
    ]
    /// Of apps that do not run.
    static let absent = (fill: "#f1f5f9", frame: "#cbd5e1", text: "#94a3b8")
    static let loop = "#e11d48"
    static let ink = "#0f172a"
    static let quiet = "#64748b"
    static let faint = "#cbd5e1"
    static let paper = "#f8fafc"

    /// For the sign of an app: the same one for the same name, in every picture.
    static func badge(of app: GraphDiagram.App) -> String {
        guard app.kind == .app, app.isRunning else { return quiet }
        let sum = app.name.unicodeScalars.reduce(UInt32(7)) { $0 &* 31 &+ $1.value }
        return lines[Int(sum % UInt32(lines.count))]
    }
}
