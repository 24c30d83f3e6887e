// SPDX-License-Identifier: MIT
import PipeBus

/// What a person has done to the screen: the view, the selection, the filter and questions. A key changes it, and may make a request.
/// Pure.
struct WatchModel: Sendable {
    enum Mode: Sendable {
        case browsing
        /// A filter is typed; with the one before.
        case filtering(before: String)
        case choosing(Chooser)
        case confirming(WatchEdge, question: String)
        /// With the first line that is shown.
        case help(Int)
    }

    /// A sentence in the row of answers.
    struct Answer: Equatable, Sendable {
        var text: String
        var isFailure = false
    }

    /// The longest filter. No name is found better by a longer one.
    static let longestFilter = 100

    var view = WatchView.pipelines
    var mode = Mode.browsing
    var filter: String
    var answer: Answer?
    private var selections: [WatchView: WatchRow.ID] = [:]
    /// Where the selected row was, for when it is gone.
    private var places: [WatchView: Int] = [:]
    private var offsets: [WatchView: Int] = [:]

    init(filter: String = "") { self.filter = filter }

    // MARK: The selection

    /// The place of the selected row; `nil` if none can be selected.
    func place(in rows: [WatchRow]) -> Int? {
        if let id = selections[view], let place = rows.firstIndex(where: { $0.id == id }) { return place }
        let place = min(places[view] ?? 0, rows.count - 1)
        return rows.indices.filter { rows[$0].isSelectable }.min { (abs($0 - place), $0) < (abs($1 - place), $1) }
    }

    func selected(in rows: [WatchRow]) -> WatchRow? { place(in: rows).map { rows[$0] } }

    mutating func select(_ place: Int, in rows: [WatchRow]) {
        selections[view] = rows[place].id
        places[view] = place
    }

    /// Selects the row that is so many selectable ones further, the first or the last one at most.
    mutating func move(by step: Int, in rows: [WatchRow]) {
        let selectable = rows.indices.filter { rows[$0].isSelectable }
        guard let place = place(in: rows), let index = selectable.firstIndex(of: place) else { return }
        select(selectable[max(min(index + step, selectable.count - 1), 0)], in: rows)
    }

    // MARK: Scrolling

    /// The first row that is shown.
    var offset: Int { offsets[view] ?? 0 }

    /// Scrolls so that the selected row is shown, with the headings above it if it is the first below them.
    ///
    /// - Parameter height: the number of rows that fit.
    mutating func scroll(in rows: [WatchRow], height: Int) {
        guard let place = place(in: rows) else {
            offsets[view] = 0
            return
        }
        select(place, in: rows)
        var top = place
        while top > 0, !rows[top - 1].isSelectable { top -= 1 }
        if place - top >= height { top = place }
        let furthest = max(rows.count - height, 0)
        offsets[view] = max(min(offset, top, furthest), place - height + 1, 0)
    }
}
