// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The aligned columns of a table: the name, figures, and notes. Columns in which nothing stands are left out, and those that do not
/// fit. Pure.
struct WatchColumns {
    private struct Column {
        var title: String
        var width: Int
        /// The higher, the longer it stays in a narrow terminal.
        var rank: Int
        var isRight = true
        var cell: (WatchRow) -> StyledText
    }

    private static let gap = "  "
    private static let nameWidths = 8...72
    private static let leastName = 24

    private let columns: [Column]
    private let nameTitle: String
    private let nameWidth: Int
    private let notesWidth: Int

    /// - Parameters:
    ///   - hasMeters: whether levels are measured at all.
    ///   - width: that of the lines, without the mark of the selected one.
    init(
        _ rows: [WatchRow], of view: WatchView, meters: @escaping (WatchRow) -> WatchMeter?, hasMeters: Bool,
        bar: MeterBar, width: Int
    ) {
        var columns: [Column] = []
        func add(
            _ title: String, _ rank: Int, least: Int = 0, isRight: Bool = true,
            _ cell: @escaping (WatchRow) -> StyledText
        ) {
            let widest = max(rows.map { cell($0).columns }.max() ?? 0, least)
            guard widest > 0 else { return }
            columns.append(
                Column(
                    title: title, width: max(widest, TextColumns.count(title)), rank: rank, isRight: isRight, cell: cell
                ))
        }
        if hasMeters {
            add("METER", 7, isRight: false) { $0.metered == nil ? StyledText() : bar.text(meters($0)) }
            // Wide enough for any level: what comes and goes must not move the rest.
            add("PEAK", 6, least: 6) { MeterBar.peak(meters($0)) }
        }
        add("VOLUME", 5) {
            StyledText($0.level.map(DiagramText.volume) ?? "", $0.level?.isMuted == true ? .dim : .plain)
        }
        add("PAN", 2) { StyledText($0.level.map(DiagramText.pan) ?? "", $0.level?.isMuted == true ? .dim : .plain) }
        add("LATENCY", 4) { StyledText($0.latency.map(DiagramText.milliseconds) ?? "", .dim) }
        if view == .ports {
            add("LOAD", 3, least: 5) { $0.figures?.load.map(Self.load) ?? StyledText() }
            add("XRUNS", 1) { row in
                row.figures.map { StyledText("\($0.xruns)", $0.xruns > 0 ? .warning : .dim) } ?? StyledText()
            }
        }
        let wanted = min(max(rows.map(\.name.columns).max() ?? 0, 8), Self.nameWidths.upperBound)
        func room(_ columns: [Column]) -> Int { width - columns.reduce(0) { $0 + $1.width + Self.gap.count } }
        func widest(_ notes: (WatchRow) -> [StyledText]) -> Int {
            rows.map { Self.joined(notes($0)).columns }.max() ?? 0
        }
        func withGap(_ width: Int) -> Int { width > 0 ? width + Self.gap.count : 0 }
        let important = min(widest { $0.alerts + $0.notes }, 20)
        let kept = withGap(important)
        let alerts = withGap(min(widest(\.alerts), 20))
        // A name is cut to 24 columns before a figure is left out, and further only for alerts.
        // The names of apps have no figures behind them.
        let named = rows.filter(\.isSelectable).map(\.name.columns).max() ?? 0
        let least = min(max(named, 8), Self.leastName, max(width - alerts, Self.nameWidths.lowerBound))
        // Figures that are seldom looked at give way to notes: a source that is muted must look so.
        while room(columns) < least + kept, let last = columns.filter({ $0.rank <= 3 }).min(by: { $0.rank < $1.rank }) {
            columns.removeAll { $0.title == last.title }
        }
        // The number of the peak says little more than the bar; the volume is what a muted source comes back with.
        for title in ["LATENCY", "PEAK", "VOLUME"] where room(columns) < least + alerts {
            columns.removeAll { $0.title == title }
        }
        while room(columns) < least + alerts, let last = columns.min(by: { $0.rank < $1.rank }) {
            columns.removeAll { $0.title == last.title }
        }
        let notes = widest(\.allNotes)
        // The rest of the notes gives way to names, but for a part.
        let wish = max(min(notes, 12), important) + (notes > 0 ? Self.gap.count : 0)
        let spare = room(columns) - least
        // Less than a word helps nobody.
        let part = spare >= wish ? wish : spare >= 7 ? min(kept, spare) : spare >= alerts ? alerts : 0
        nameWidth = max(min(wanted, room(columns) - part), min(Self.nameWidths.lowerBound, width))
        notesWidth = max(room(columns) - nameWidth - Self.gap.count, 0)
        self.columns = columns
        nameTitle = view == .pipelines ? "PIPELINE" : "PORT"
    }

    private static func load(_ load: Float) -> StyledText {
        let percent = Double(load) * 100
        return StyledText(
            percent >= 1000 ? ">999%" : Decimal.text(percent, digits: percent >= 10 ? 0 : 1) + "%",
            load >= 0.8 ? .warning : .dim)
    }

    var titles: StyledText {
        columns.reduce(StyledText(nameTitle, .dim).fitted(to: nameWidth)) { line, column in
            line + StyledText(Self.gap)
                + StyledText(column.title, .dim).fitted(to: column.width, isRight: column.isRight)
        }
    }

    func line(_ row: WatchRow) -> StyledText {
        guard row.isSelectable else { return row.name }
        let cells = columns.reduce(row.name.fitted(to: nameWidth)) { line, column in
            line + StyledText(Self.gap) + column.cell(row).fitted(to: column.width, isRight: column.isRight)
        }
        let notes = notes(of: row)
        guard notesWidth > 2, notes.columns > 0 else { return cells }
        return cells + StyledText(Self.gap) + notes
    }

    /// As many notes as fit, "…" for others. Of the alerts nothing is cut for what stands behind them.
    private func notes(of row: WatchRow) -> StyledText {
        let notes = row.allNotes
        let all = Self.joined(notes)
        guard all.columns > notesWidth else { return all }
        let alerts = Self.joined(row.alerts)
        guard alerts.columns < notesWidth else {
            return alerts.columns == notesWidth ? alerts : alerts.fitted(to: notesWidth)
        }
        var whole = StyledText()
        for (place, note) in notes.enumerated() {
            let next = Self.joined(Array(notes[...place]))
            guard next.columns >= notesWidth else {
                whole = next
                continue
            }
            let room = notesWidth - next.columns + note.columns
            // A part of a number is another number, and a part of a short word is none.
            guard room >= 8, note.text(hasColour: false).first?.isNumber == false else { break }
            return next.fitted(to: notesWidth)
        }
        return whole + StyledText("…", .dim)
    }

    private static func joined(_ notes: [StyledText]) -> StyledText {
        notes.enumerated().reduce(StyledText()) { text, note in
            (note.offset > 0 ? text + StyledText(", ", .dim) : text) + note.element
        }
    }
}
