// SPDX-License-Identifier: MIT
import PipeBus

extension WatchModel {
    /// Follows a key.
    ///
    /// - Parameters:
    ///   - page: the number of rows that a page has.
    ///   - signs: those that the rows are made with.
    /// - Returns: what is to be done beyond the screen.
    mutating func press(
        _ key: WatchKey, in data: WatchData, page: Int = 10, signs: TreeSigns = .unicode
    ) -> WatchRequest? {
        switch key {
        case .suspend: return .suspend
        case .repaint: return .repaint
        default: break
        }
        let hadFailed = answer?.isFailure == true
        answer = nil
        switch mode {
        case .browsing: return browse(key, data, page, signs, hadFailed: hadFailed)
        case .filtering(let before): typeFilter(key, before)
        case .choosing(let chooser): return choose(key, chooser, data, page)
        case .confirming(let edge, _): return confirm(key, edge)
        case .help(let line): readHelp(key, line, page)
        }
        return nil
    }

    // MARK: Browsing

    private mutating func browse(
        _ key: WatchKey, _ data: WatchData, _ page: Int, _ signs: TreeSigns, hadFailed: Bool
    ) -> WatchRequest? {
        let rows = WatchRows(data, filter: filter, signs: signs).rows(of: view)
        switch key {
        case .up, .character("k"): move(by: -1, in: rows)
        case .down, .character("j"): move(by: 1, in: rows)
        case .pageUp: move(by: -page, in: rows)
        case .pageDown, .character(" "): move(by: page, in: rows)
        case .home, .character("g"): move(by: -rows.count, in: rows)
        case .end, .character("G"): move(by: rows.count, in: rows)
        case .tab, .backTab: view = view.other
        case .character("/"): mode = .filtering(before: filter)
        // The first press only puts a sentence away.
        case .escape: if !hadFailed { filter = "" }
        case .character("?"), .character("h"): mode = .help(0)
        case .character("q"): return .quit
        case .character(let character): return act(character, on: selected(in: rows), data)
        default: break
        }
        return nil
    }

    private mutating func act(_ key: Character, on row: WatchRow?, _ data: WatchData) -> WatchRequest? {
        switch key {
        case "c": return startConnecting(row, data)
        case "d": return startDisconnecting(row, data)
        case "b": return bypass(row, data)
        case "u": return .undo
        case "U": return .redo
        case "m": return level(.toggleMute, row)
        case "s": return level(.toggleSolo, row)
        case "+", "=": return level(.volumeStep(1), row)
        case "-", "−": return level(.volumeStep(-1), row)
        case "0": return level(.fullVolume, row)
        case "<", ",": return level(.panStep(-10), row)
        case ">", ".": return level(.panStep(10), row)
        default:
            answer = Answer(text: "\(key) is no key here; ? shows all of them.")
            return nil
        }
    }

    /// A row stands for one level: that of its last connection, or of its only one.
    private mutating func level(_ change: WatchRequest.Level, _ row: WatchRow?) -> WatchRequest? {
        guard let row, let edge = row.edges.last else {
            answer = Answer(
                text: view == .ports ? "Select a source below a receiver for that." : "Nothing is selected.")
            return nil
        }
        if case .port = row.id, row.edges.count > 1 {
            answer = Answer(text: "It goes to several ports; select it below one of them.")
            return nil
        }
        return .level(change, edge)
    }

    private mutating func bypass(_ row: WatchRow?, _ data: WatchData) -> WatchRequest? {
        guard let filters = row?.filters, !filters.isEmpty else {
            answer = Answer(text: "There is no filter made with PipeBus to bypass; select one.")
            return nil
        }
        if filters.count == 1 { return .toggleBypass(filters[0]) }
        mode = .choosing(ConnectChoices(data).filters(filters))
        return nil
    }

    private mutating func startDisconnecting(_ row: WatchRow?, _ data: WatchData) -> WatchRequest? {
        guard let edges = row?.edges, let edge = edges.first else {
            answer = Answer(text: "Nothing is connected there; select a source below the port that it goes to.")
            return nil
        }
        if edges.count == 1 {
            ask(about: edge, data)
        } else {
            mode = .choosing(ConnectChoices(data).connections(edges))
        }
        return nil
    }

    private mutating func startConnecting(_ row: WatchRow?, _ data: WatchData) -> WatchRequest? {
        // In the table of ports the selected one is meant; a pipeline has several.
        if view == .ports, let source = row?.outlet {
            chooseDestination(of: source, data)
        } else if let chooser = ConnectChoices(data).sources(preferring: row?.outlet) {
            mode = .choosing(chooser)
        } else {
            answer = Answer(text: "There is no port that sound comes from.")
        }
        return nil
    }

    // MARK: Questions

    private mutating func chooseDestination(of source: GraphPort.ID, _ data: WatchData) {
        if let chooser = ConnectChoices(data).destinations(of: source) {
            mode = .choosing(chooser)
        } else {
            mode = .browsing
            answer = Answer(text: "There is no port that it could be connected to, or it is connected to all of them.")
        }
    }

    private mutating func ask(about edge: WatchEdge, _ data: WatchData) {
        let name = { (id: GraphPort.ID) in data.diagram.ports.first { data.id(ofKey: $0.key) == id }?.uniqueName ?? "?"
        }
        mode = .confirming(edge, question: "Disconnect \(name(edge.source)) from \(name(edge.destination))? y/n")
    }

    private mutating func choose(
        _ key: WatchKey, _ chooser: Chooser, _ data: WatchData, _ page: Int
    ) -> WatchRequest? {
        switch key {
        case .escape: mode = .browsing
        case .enter:
            guard let item = chooser.chosen else { return nil }
            mode = .browsing
            switch item.choice {
            case .source(let source): chooseDestination(of: source, data)
            case .disconnect(let edge): ask(about: edge, data)
            case .connect(let edge): return .connect(edge)
            case .bypass(let filter): return .toggleBypass(filter)
            }
        default:
            var chooser = chooser
            chooser.press(key, page: page)
            mode = .choosing(chooser)
        }
        return nil
    }

    private mutating func confirm(_ key: WatchKey, _ edge: WatchEdge) -> WatchRequest? {
        switch key {
        case .character("y"), .character("Y"):
            mode = .browsing
            return .disconnect(edge)
        case .character("n"), .character("N"), .character("q"), .escape: mode = .browsing
        default: break
        }
        return nil
    }

    // MARK: Text

    private mutating func typeFilter(_ key: WatchKey, _ before: String) {
        switch key {
        case .enter: mode = .browsing
        case .escape: (filter, mode) = (before, .browsing)
        case .backspace: filter = String(filter.dropLast())
        case .character(let character): filter = String((filter + String(character)).prefix(Self.longestFilter))
        default: break
        }
    }

    private mutating func readHelp(_ key: WatchKey, _ line: Int, _ page: Int) {
        switch key {
        case .up, .character("k"): mode = .help(max(line - 1, 0))
        case .down, .character("j"): mode = .help(min(line + 1, WatchHelp.lines.count - 1))
        case .pageUp: mode = .help(max(line - page, 0))
        case .pageDown, .character(" "): mode = .help(min(line + page, WatchHelp.lines.count - 1))
        default: mode = .browsing
        }
    }
}
