// SPDX-License-Identifier: MIT
import PipeBus

@testable import PipeBusCommand

/// The data of a screen without a daemon, and its screens as plain text.
struct WatchFixture {
    var graph: DiagramFixture
    var data: WatchData

    init(_ graph: DiagramFixture = .everything) {
        self.graph = graph
        data = WatchData(diagram: graph.diagram(), graph: graph.snapshot)
    }

    func id(_ node: String) -> GraphPort.ID { graph.id(node) }

    func edge(_ source: String, _ destination: String) -> WatchEdge {
        WatchEdge(source: id(source), destination: id(destination))
    }

    func renderer(_ model: WatchModel, columns: Int, rows: Int, isUnicode: Bool = true) -> WatchRenderer {
        var model = model
        let layout = WatchLayout(columns: columns, rows: rows)
        let rows = WatchRows(data, filter: model.filter, signs: isUnicode ? .unicode : .ascii).rows(of: model.view)
        model.scroll(in: rows, height: layout.height)
        return WatchRenderer(
            data: data, model: model, layout: layout, signs: isUnicode ? .unicode : .ascii, isUnicode: isUnicode)
    }

    func screen(_ model: WatchModel, columns: Int, rows: Int, isUnicode: Bool = true) -> [String] {
        let signs = isUnicode ? TreeSigns.unicode : .ascii
        return renderer(model, columns: columns, rows: rows, isUnicode: isUnicode).lines
            .map { signs.shown($0.text(hasColour: false)) }
    }

    /// Presses keys: each letter, and keys by their names.
    @discardableResult
    func press(_ keys: WatchKey..., on model: inout WatchModel) -> [WatchRequest] {
        keys.compactMap { model.press($0, in: data) }
    }

    func type(_ text: String, on model: inout WatchModel) {
        for character in text { _ = model.press(.character(character), in: data) }
    }
}
