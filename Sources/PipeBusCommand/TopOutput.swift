// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// Where the tables of `top` go: the whole screen of a terminal, or the lines of a pipe or of a command in the background.
final class TopOutput: Sendable {
    private let isJSON: Bool
    private let screen: FullScreen?
    /// Whether the last table was shown.
    let isDone = Atomic<Bool>(false)

    init(isJSON: Bool) {
        self.isJSON = isJSON
        screen = Terminal.isInForeground && !isJSON ? FullScreen() : nil
    }

    func open() { screen?.open() }
    func close() { screen?.close() }

    /// Whether a person has pressed q.
    var isQuit: Bool { screen?.takeKey("q") ?? false }

    func show(_ table: TopTable) throws {
        if let screen {
            screen.show { columns, rows in table.lines(columns: columns, rows: rows) }
        } else if isJSON {
            print(try table.jsonLine)
        } else {
            print(table.plainLines.joined(separator: "\n") + "\n")
        }
        if screen == nil { try Terminal.flush() }
    }
}
