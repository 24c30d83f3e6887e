// SPDX-License-Identifier: MIT
import ToolSupport

/// The first line: the pace of the graph on the left, how it does on the right. Pure.
struct WatchHead {
    private static let gap = StyledText("  ")

    let data: WatchData

    func line(columns: Int) -> StyledText {
        if data.interruption != nil { return StyledText("PipeBus", .bold).fitted(to: columns) }
        let right = state(isShort: columns < 60)
        // What does not fit is left out, the last one first.
        var left = pace
        while left.count > 1, width(left) + 2 + right.columns > columns { left.removeLast() }
        if width(left) + 2 + right.columns > columns { return right.fitted(to: columns) }
        let line = left.enumerated().reduce(StyledText()) {
            $0 + ($1.offset > 0 ? Self.gap : StyledText()) + $1.element
        }
        return line + right.fitted(to: columns - line.columns, isRight: true)
    }

    private func width(_ parts: [StyledText]) -> Int {
        parts.reduce(0) { $0 + $1.columns } + 2 * max(parts.count - 1, 0)
    }

    private var pace: [StyledText] {
        let name = StyledText("PipeBus", .bold)
        guard let pace = data.diagram.pace else { return [name] }
        let cycle = DiagramText.milliseconds(pace.milliseconds(pace.quantum))
        return [
            name, StyledText("\(pace.sampleRate) Hz"), StyledText("\(pace.quantum) frames"), StyledText(cycle, .dim),
        ]
            + (pace.driver.map { [StyledText($0, .dim)] } ?? [])
    }

    private func state(isShort: Bool) -> StyledText {
        guard data.isMeasured else { return StyledText(isShort ? "no profiler" : "no profiler in this daemon", .dim) }
        var text = StyledText("load ", .dim)
        if let load = data.load {
            let percent = Double(load) * 100
            text.append(
                percent >= 1000 ? ">999%" : Decimal.text(percent, digits: percent >= 10 ? 0 : 1) + "%",
                load >= 0.8 ? .warning : .plain)
        } else {
            text.append("–")
        }
        text.append("  xruns ", .dim)
        text.append("\(data.xruns)", data.xruns > 0 ? .warning : .plain)
        guard data.xruns > 0, !isShort, let culprit = data.culprit else { return text }
        text.append("  by ", .dim)
        text.append(TextColumns.count(culprit) > 30 ? TextColumns.fit(culprit, to: 30) : culprit, .warning)
        return text
    }
}
