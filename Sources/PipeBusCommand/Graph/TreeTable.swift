// SPDX-License-Identifier: MIT
import ToolSupport

/// The aligned columns of the text tree. Columns in which nothing stands are left out.
struct TreeTable {
    struct Cells {
        var name = StyledText()
        var channels = StyledText()
        var lanes = StyledText()
        var volume = StyledText()
        var pan = StyledText()
        var latency = StyledText()
        var notes: [StyledText] = []
    }

    enum Row {
        case gap
        case heading(StyledText)
        case note(StyledText)
        case cells(Cells)
    }

    /// The narrowest column of names, and the widest one in a pipe. Longer names are cut, so that the columns stay in line.
    private static let nameWidths = 24...60
    private static let gap = StyledText("  ")
    private struct Column {
        var title: String
        var cell: @Sendable (Cells) -> StyledText
        var width = 0
    }

    private static let columns = [
        Column(title: "CH") { $0.channels }, Column(title: "LANES") { $0.lanes },
        Column(title: "VOLUME") { $0.volume }, Column(title: "PAN") { $0.pan },
        Column(title: "LATENCY") { $0.latency },
    ]

    private var rows: [Row] = []

    mutating func add(_ row: Row) { rows.append(row) }

    /// - Parameter columns: the width of the terminal; `nil` in a pipe.
    func lines(columns: Int?) -> [StyledText] {
        let cells = rows.compactMap { if case .cells(let cells) = $0 { cells } else { nil } }
        guard !cells.isEmpty else { return [] }
        let used = Self.columns.compactMap { column -> Column? in
            let width = cells.map { column.cell($0).columns }.max() ?? 0
            return width > 0
                ? Column(title: column.title, cell: column.cell, width: max(width, column.title.count)) : nil
        }
        let taken = used.reduce(0) { $0 + $1.width + 2 }
        let wanted = cells.map(\.name.columns).max() ?? 0
        let notes = cells.map { Self.joined($0.notes).columns }.max() ?? 0
        // Notes give way to names, and names to a part of the notes.
        let room = columns.map { max($0 - taken - min(notes, 12) - 2, Self.nameWidths.lowerBound) }
        let nameWidth = min(max(wanted, 4), room ?? Self.nameWidths.upperBound)
        func line(_ name: StyledText, _ cells: [StyledText], _ notes: StyledText) -> StyledText {
            zip(used, cells).reduce(name.fitted(to: nameWidth)) { line, column in
                line + Self.gap + column.1.fitted(to: column.0.width, isRight: true)
            } + Self.gap + notes
        }
        let titles = line(
            StyledText("  PORT", .dim), used.map { StyledText($0.title, .dim) }, StyledText("NOTES", .dim))
        return [StyledText(), titles]
            + rows.map { row in
                switch row {
                case .gap: StyledText()
                case .heading(let text), .note(let text): text
                case .cells(let cells):
                    line(cells.name, used.map { $0.cell(cells) }, Self.joined(cells.notes))
                }
            }
    }

    private static func joined(_ notes: [StyledText]) -> StyledText {
        notes.enumerated().reduce(StyledText()) { text, note in
            (note.offset > 0 ? text + StyledText(", ", .dim) : text) + note.element
        }
    }
}
