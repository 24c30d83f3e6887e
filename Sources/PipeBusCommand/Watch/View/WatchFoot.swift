// SPDX-License-Identifier: MIT
import ToolSupport

/// The last line: the keys, as many as fit. Pure.
struct WatchFoot {
    private typealias Key = (key: String, text: String)

    let model: WatchModel
    let signs: TreeSigns
    let isUnicode: Bool

    func line(columns: Int) -> StyledText {
        let (keys, ends) = keys
        var shown = keys
        while !shown.isEmpty, width(shown + ends) > columns { shown.removeLast() }
        var last = ends
        while last.count > 1, width(shown + last) > columns { last.removeFirst() }
        return (shown + last).enumerated().reduce(StyledText()) { line, key in
            line + StyledText(key.offset > 0 ? "  " : "") + StyledText(key.element.key, .bold)
                + StyledText(" \(key.element.text)", .dim)
        }
    }

    private func width(_ keys: [Key]) -> Int {
        keys.reduce(0) { $0 + TextColumns.count($1.key) + 1 + TextColumns.count($1.text) } + 2 * max(keys.count - 1, 0)
    }

    /// The keys in the order of their use, and those that stay in a narrow terminal.
    private var keys: (keys: [Key], ends: [Key]) {
        let arrows = isUnicode ? "↑↓" : "j k"
        return switch model.mode {
        case .browsing:
            (
                [
                    (arrows, "select"), ("c", "connect"), ("d", "disconnect"), ("+ -", "volume"), ("m", "mute"),
                    ("Tab", model.view.other.rawValue.lowercased()), ("/", "filter"), ("s", "solo"), ("b", "bypass"),
                    ("u", "undo"),
                ], [("?", "help"), ("q", "quit")]
            )
        case .filtering: ([], [("Enter", "done"), ("Esc", "back")])
        case .choosing:
            ([("a-z", "narrow"), (isUnicode ? "↑↓" : "Up Down", "choose")], [("Enter", "take"), ("Esc", "back")])
        case .confirming: ([], [("y", "yes"), ("n", "no")])
        case .help: ([(arrows, "scroll")], [("Esc", "back")])
        }
    }
}
