// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

@testable import ToolSupport
@testable import track_recorder

/// The text that tools show on a terminal, and the names of their files.
final class TerminalTests: ToolTestCase {
    func testALineNeverReachesTheEdgeAndTheLinesNeverTheTop() {
        let lines = (1...10).map { "\($0) " + String(repeating: "x", count: 100) }
        let bounded = StatusLine.bounded(lines, columns: 20, rows: 5)
        XCTAssertEqual(bounded.count, 4)
        XCTAssertEqual(bounded[0], "1 " + String(repeating: "x", count: 17))
        XCTAssertEqual(bounded[3], "… and 7 more lines")
        XCTAssertEqual(StatusLine.bounded(lines, columns: 20, rows: 11).count, 10)
        XCTAssertEqual(StatusLine.bounded(lines, columns: 20, rows: 1).count, 1)
    }

    func testWhatATerminalWouldActOnIsReplaced() {
        let nasty = "a\u{1B}[2Jb\nc\rd\u{7}e\u{9B}f\u{2028}g\u{202E}h" + String(repeating: "e\u{301}", count: 5)
        let line = StatusLine.bounded([nasty], columns: 80, rows: 24)[0]
        for scalar in line.unicodeScalars {
            XCTAssertNotEqual(scalar.properties.generalCategory, .control)
            XCTAssertNotEqual(scalar.properties.generalCategory, .lineSeparator)
            XCTAssertFalse(scalar.properties.isBidiControl)
        }
        XCTAssertTrue(line.hasPrefix("a\u{FFFD}[2Jb\u{FFFD}c"), line)
        let endless = "a" + String(repeating: "\u{301}", count: 100_000)
        XCTAssertLessThan(StatusLine.bounded([endless], columns: 80, rows: 24)[0].utf8.count, 1000)
    }

    /// Runs what is painted through a terminal of its own, as simple as can be.
    func testLinesAreWrittenOverAndTakenAway() {
        var screen = Screen()
        screen.take("before\r\n")
        screen.take(StatusLine.painting(["one", "two and more", "three"], over: 0))
        XCTAssertEqual(screen.lines, ["before", "one", "two and more", "three"])
        screen.take(StatusLine.painting(["1", "2"], over: 3))
        XCTAssertEqual(screen.lines, ["before", "1", "2"])
        screen.take(StatusLine.painting(["a", "b", "c", "d"], over: 2))
        XCTAssertEqual(screen.lines, ["before", "a", "b", "c", "d"])
        screen.take(StatusLine.painting([""], over: 4))
        XCTAssertEqual(screen.lines, ["before"])
    }

    /// A terminal that has become narrower has put the end of a longer line on rows of their own.
    func testLinesAreReplacedAfterTheTerminalWasMadeNarrower() {
        XCTAssertEqual(StatusLine.rows(of: ["12345678901", "1", ""], columns: 80), 3)
        XCTAssertEqual(StatusLine.rows(of: ["12345678901", "1", ""], columns: 11), 3)
        XCTAssertEqual(StatusLine.rows(of: ["12345678901", "1", ""], columns: 10), 4)
        XCTAssertEqual(StatusLine.rows(of: ["12345678901", "1", ""], columns: 5), 5)
        var screen = Screen()
        // As it stands after the change.
        screen.take("before\r\n1234567\r\n8901\r\n1")
        screen.take(StatusLine.painting(["new"], over: StatusLine.rows(of: ["12345678901", "1"], columns: 7)))
        XCTAssertEqual(screen.lines, ["before", "new"])
    }

    func testALevelLineFitsItsTerminal() {
        func line(_ columns: Int) -> String { Levels.line(0.5, peak: 1, "10.0 ms", "Voice", columns) }
        XCTAssertEqual(line(80), "████████░░  -6.0 dB  peak   0.0 dB  10.0 ms  Voice")
        XCTAssertEqual(line(40), "████░   0.0 dB  Voice")
        XCTAssertEqual(line(20), "████░ Voice")
    }

    private struct Screen {
        private var cells: [[Character]] = [[]]
        private var row = 0
        private var column = 0

        var lines: [String] {
            var lines = cells.map { String($0) }
            while lines.last == "" { lines.removeLast() }
            return lines
        }

        mutating func take(_ text: String) {
            var rest = Substring(text)
            while let scalar = rest.unicodeScalars.first {
                if scalar == "\u{1B}" {
                    let end = rest.dropFirst(2).firstIndex { $0.isLetter } ?? rest.endIndex
                    act(String(rest[..<end].dropFirst(2)), rest[end])
                    rest = rest[rest.index(after: end)...]
                    continue
                }
                rest.unicodeScalars.removeFirst()
                switch scalar {
                case "\r": column = 0
                case "\n":
                    row += 1
                    while cells.count <= row { cells.append([]) }
                default:
                    while cells[row].count <= column { cells[row].append(" ") }
                    cells[row][column] = Character(scalar)
                    column += 1
                }
            }
        }

        private mutating func act(_ number: String, _ letter: Character) {
            switch letter {
            case "A": row = max(row - (Int(number) ?? 1), 0)
            case "K": cells[row] = Array(cells[row].prefix(column))
            case "J":
                cells[row] = Array(cells[row].prefix(column))
                cells.removeLast(cells.count - row - 1)
            case "h", "l": XCTAssertEqual(number, "?7")
            default: XCTFail("\(letter) is not known here")
            }
        }
    }

    func testFileNamesAreSafeWhateverATitleIs() {
        let cases = [
            ("Voice", "Voice"), ("../../x", "_.._x"), ("/etc/passwd", "_etc_passwd"), (".", "source"), ("", "source"),
            ("...", "source"), ("a\nb\u{0}c\u{1B}[31m", "a_b_c_[31m"), ("  - x . ", "x"), ("-rf", "rf"),
            ("Größe 2 🎻", "Größe 2 🎻"), ("a\u{202E}b\u{2028}c", "a_b_c"), ("C:\\a*?", "C__a__"),
        ]
        for (title, name) in cases { XCTAssertEqual(FileName.safe(title), name, title) }
        for title in [String(repeating: "x", count: 300), String(repeating: "ä🎻", count: 300)] {
            let name = FileName.safe(title)
            XCTAssertLessThanOrEqual(name.utf8.count, 100)
            XCTAssertGreaterThan(name.utf8.count, 94)
            XCTAssertTrue(title.hasPrefix(name))
        }
    }
}
