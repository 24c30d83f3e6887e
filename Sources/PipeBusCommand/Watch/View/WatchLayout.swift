// SPDX-License-Identifier: MIT

/// What fits into a terminal, and where. Pure.
struct WatchLayout: Equatable, Sendable {
    let columns: Int
    let rows: Int

    /// The figures of the graph: the first line.
    var hasHead: Bool { rows > 2 }
    /// The names of the views, and the filter.
    var hasTabs: Bool { rows > 7 }
    /// The titles of the columns.
    var hasTitles: Bool { rows > 9 }
    /// A line for answers above that of the keys. Without it an answer hides the keys.
    var hasAnswerLine: Bool { rows > 7 }
    /// Empty lines between the parts.
    var hasGaps: Bool { rows > 13 }

    /// The number of rows of a table that fit.
    var height: Int {
        var used = 1
        for isThere in [hasHead, hasTabs, hasTitles, hasAnswerLine] where isThere { used += 1 }
        if hasGaps { used += 2 }
        return max(rows - used, 1)
    }

    /// The width of the bars of the meters.
    var barWidth: Int {
        switch columns {
        case ..<32: 4
        case ..<60: 6
        case ..<100: 10
        case ..<160: 16
        default: 24
        }
    }
}
