// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

extension GraphDiagram.App {
    /// An app that does not run, with the ports that it declares.
    ///
    /// - Parameter place: its number among those apps.
    init(_ app: InstalledApp, place: Int) {
        self.init(
            kind: .app, name: DiagramText.bounded(app.name), id: DiagramText.bounded(app.id),
            icon: app.iconName.map { DiagramText.bounded($0) }, isRunning: false,
            ports: app.ports.enumerated().map { number, port in
                GraphDiagram.Port(port, of: app, key: "a\(place)p\(number)")
            })
    }
}

extension GraphDiagram.App {
    /// The name, with a word on whether it runs, where colours alone would say so.
    var label: String { isRunning ? name : "\(name) (not running)" }
}

extension GraphDiagram.Port {
    fileprivate init(_ port: AppPort, of app: InstalledApp, key: String) {
        self.init(
            key: key, kind: Kind(rawValue: port.kind.rawValue) ?? .filter,
            uniqueName: TerminalText.printable("\(app.name).\(port.name)"), title: DiagramText.bounded(port.title),
            id: nil, icon: nil, isPipeBus: true, inputs: port.inputCount, outputs: port.outputCount, otherMedia: [],
            hasInlet: port.inputCount > 0, hasOutlet: port.outputCount > 0, lanes: nil, isBypassed: false,
            isLive: false, feeds: [], hidden: (0, 0))
    }
}

extension InstalledApp {
    /// Whether the name or the id of the app, or the name or title of a port of it, contains a text, in upper or lower case.
    func isNamed(byPart part: String) -> Bool {
        ([name, id] + ports.flatMap { [$0.name, $0.title] }).contains { $0.lowercased().contains(part.lowercased()) }
    }
}
