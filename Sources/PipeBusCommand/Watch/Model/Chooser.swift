// SPDX-License-Identifier: MIT
import PipeBus

/// A list to choose one of, narrowed by what is typed. Pure.
struct Chooser: Sendable {
    enum Choice: Hashable, Sendable {
        /// A port to be connected; its destination is chosen next.
        case source(GraphPort.ID)
        case connect(WatchEdge)
        case disconnect(WatchEdge)
        case bypass(GraphPort.ID)
    }

    struct Item: Sendable {
        var label: String
        /// What a person is told behind it.
        var detail = ""
        var choice: Choice
    }

    /// The longest text. No name is found better by a longer one.
    private static let longestText = 100

    let title: String
    private let items: [Item]
    private(set) var text = ""
    /// The place of the chosen one among ``shown``.
    private(set) var place: Int

    init(title: String, items: [Item], place: Int = 0) {
        self.title = title
        self.items = items
        self.place = place
    }

    /// Those whose label or detail contains what is typed.
    var shown: [Item] {
        let wanted = text.lowercased()
        return items.filter {
            wanted.isEmpty || $0.label.lowercased().contains(wanted) || $0.detail.lowercased().contains(wanted)
        }
    }

    var chosen: Item? {
        let shown = shown
        return shown.indices.contains(place) ? shown[place] : nil
    }

    /// - Parameter page: the number of rows that a page has.
    mutating func press(_ key: WatchKey, page: Int) {
        switch key {
        case .up: place -= 1
        case .down: place += 1
        case .pageUp: place -= page
        case .pageDown: place += page
        case .home: place = 0
        case .end: place = shown.count - 1
        case .backspace: type(String(text.dropLast()))
        case .character(let character): type(text + String(character))
        default: break
        }
        place = max(min(place, shown.count - 1), 0)
    }

    private mutating func type(_ new: String) {
        let chosen = chosen?.choice
        text = String(new.prefix(Self.longestText))
        place = shown.firstIndex { $0.choice == chosen } ?? 0
    }
}
