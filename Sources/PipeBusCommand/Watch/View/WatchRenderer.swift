// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// Draws the screen: as many lines as the terminal has, none of them longer. Pure.
struct WatchRenderer {
    let data: WatchData
    let model: WatchModel
    let layout: WatchLayout
    var signs = TreeSigns.unicode
    var isUnicode = true
    /// Whether levels are measured at all.
    var hasMeters = true

    /// The rows of the present view.
    var rows: [WatchRow] { WatchRows(data, filter: model.filter, signs: signs).rows(of: model.view) }

    /// The sources of the rows that are on the screen, from its top, each once.
    var visibleSources: [GraphPort.ID] {
        var seen: Set<GraphPort.ID> = []
        return visible(rows).compactMap(\.metered).filter { seen.insert($0).inserted }
    }

    private func visible(_ rows: [WatchRow]) -> ArraySlice<WatchRow> {
        rows.dropFirst(model.offset).prefix(layout.height)
    }

    var lines: [StyledText] {
        let columns = layout.columns
        let rows = rows
        var lines: [StyledText] = []
        if layout.hasHead { lines.append(WatchHead(data: data).line(columns: columns)) }
        if layout.hasGaps { lines.append(StyledText()) }
        if layout.hasTabs { lines.append(tabs) }
        let end = layout.rows - (layout.hasAnswerLine ? 2 : 1) - (layout.hasGaps ? 1 : 0)
        lines += body(rows, height: max(end - lines.count, 1))
        lines = Array(lines.prefix(end))
        lines += Array(repeating: StyledText(), count: layout.rows - (layout.hasAnswerLine ? 2 : 1) - lines.count)
        let foot = WatchFoot(model: model, signs: signs, isUnicode: isUnicode).line(columns: columns)
        if layout.hasAnswerLine {
            lines += [answer ?? StyledText(), foot]
        } else {
            lines.append(answer ?? foot)
        }
        return lines.map { $0.columns > columns ? $0.fitted(to: columns) : $0 }
    }

    // MARK: Parts

    private var tabs: StyledText {
        let all = WatchRows(data, filter: model.filter, signs: signs)
        var line = StyledText()
        for view in WatchView.allCases {
            if line.columns > 0 { line.append("   ") }
            let isShown = view == model.view
            line.append(view.rawValue, isShown ? .marked : .dim)
            line.append(" \(all.count(of: view))", isShown ? .plain : .dim)
        }
        if !model.filter.isEmpty {
            line.append("   only ", .dim)
            line.append("“\(TextColumns.prefix(of: model.filter, columns: 40))”", .filter)
        }
        return line
    }

    private func body(_ rows: [WatchRow], height: Int) -> [StyledText] {
        switch model.mode {
        case .choosing(let chooser): return list(chooser, height: height)
        case .help(let first): return help(from: first, height: height)
        default: break
        }
        if let interruption = data.interruption { return wrapped(interruption, .warning) }
        guard !rows.isEmpty else { return wrapped(emptiness, .dim) }
        let columns = WatchColumns(
            rows, of: model.view, meters: { row in row.metered.flatMap { data.meters[$0] } }, hasMeters: hasMeters,
            bar: MeterBar(isUnicode: isUnicode, width: layout.barWidth), width: layout.columns - 2)
        let place = model.place(in: rows)
        let lines = visible(rows).indices.map { index in
            marked(columns.line(rows[index]), isMarked: index == place)
        }
        return (layout.hasTitles ? [StyledText("  ") + columns.titles] : []) + lines
    }

    private func marked(_ line: StyledText, isMarked: Bool) -> StyledText {
        isMarked ? StyledText(isUnicode ? "▌ " : "> ", .marked) + line.emphasized : StyledText("  ") + line
    }

    private var emptiness: String {
        if !model.filter.isEmpty, model.view == .pipelines {
            return "No pipeline has “\(model.filter)” in its name. Tab shows the ports, Esc everything."
        }
        if !model.filter.isEmpty { return "Nothing has “\(model.filter)” in its name. Esc shows everything." }
        if data.diagram.apps.isEmpty { return "There is no port in the graph." }
        return model.view == .pipelines
            ? "No sender is connected to a receiver. c connects two ports, Tab shows all of them."
            : "There is no port in the graph."
    }

    private func list(_ chooser: Chooser, height: Int) -> [StyledText] {
        let shown = chooser.shown
        let title =
            StyledText(chooser.title, .bold)
            + (chooser.text.isEmpty ? StyledText() : StyledText("  ") + StyledText(chooser.text, .filter))
        guard !shown.isEmpty else { return [title, StyledText("  Nothing has that in its name.", .dim)] }
        let room = max(height - 1, 1)
        let first = max(min(chooser.place - room / 2, shown.count - room), 0)
        let width = min(shown.map { TextColumns.count($0.label) }.max() ?? 0, max(layout.columns - 20, 12))
        let lines = shown.indices.dropFirst(first).prefix(room).map { index in
            let item = shown[index]
            let line = StyledText(item.label).fitted(to: width) + StyledText("  ") + StyledText(item.detail, .dim)
            return marked(line, isMarked: index == chooser.place)
        }
        return height > 1 ? [title] + lines : lines
    }

    private func help(from first: Int, height: Int) -> [StyledText] {
        let last = max(WatchHelp.lines.count - height, 0)
        return WatchHelp.lines.dropFirst(min(first, last)).prefix(height).map { key, text in
            key.isEmpty
                ? StyledText("  \(text)", .dim)
                : StyledText("  ") + StyledText(key, .bold).fitted(to: 11) + StyledText(text)
        }
    }

    private var answer: StyledText? {
        switch model.mode {
        case .filtering: StyledText("/", .bold) + StyledText(model.filter) + StyledText("▏", .marked)
        case .confirming(_, let question): StyledText(question, .filter)
        default: model.answer.map { StyledText($0.text, $0.isFailure ? .warning : .plain) }
        }
    }

    /// A sentence on as many lines as it needs.
    private func wrapped(_ text: String, _ style: StyledText.Style) -> [StyledText] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let longer = lines[lines.count - 1].isEmpty ? String(word) : "\(lines[lines.count - 1]) \(word)"
            if TextColumns.count(longer) <= max(layout.columns - 4, 8) || lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { StyledText("  \($0)", style) }
    }
}
