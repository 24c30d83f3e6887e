// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBusCommand

/// Keys as a terminal sends them.
final class WatchKeyTests: XCTestCase {
    private func keys(_ pieces: [UInt8]...) -> [WatchKey] {
        var parser = KeyParser()
        return pieces.flatMap { parser.keys(from: $0) }
    }

    private func keys(_ text: String) -> [WatchKey] { keys(Array(text.utf8)) }

    func testKeys() {
        XCTAssertEqual(keys("aé音"), [.character("a"), .character("é"), .character("音")])
        XCTAssertEqual(keys("\t\r\n\u{7F}\u{8}"), [.tab, .enter, .enter, .backspace, .backspace])
        XCTAssertEqual(keys("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}[D"), [.up, .down, .right, .left])
        XCTAssertEqual(
            keys("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~\u{1B}[Z"), [.pageUp, .pageDown, .home, .end, .backTab])
        XCTAssertEqual(keys("\u{1A}\u{C}"), [.suspend, .repaint])
    }

    /// A key's bytes may come in several reads, and a lone escape is known by nothing that follows.
    func testPieces() {
        XCTAssertEqual(keys([0x1B], [0x5B], [0x41]), [.up])
        XCTAssertEqual(keys([0xE9], [0x9F, 0xB3]), [.character("音")])
        XCTAssertEqual(keys([0x1B], []), [.escape])
        XCTAssertEqual(keys([0x1B, 0x71]), [.escape, .character("q")])
        XCTAssertEqual(keys([0x1B, 0x1B, 0x5B, 0x41]), [.escape, .up])
    }

    func testWhatIsNoKeyIsDropped() {
        XCTAssertEqual(keys("\u{1B}[200~\u{1B}[1;5Pa"), [.character("a")])
        XCTAssertEqual(keys([0xFF, 0xC3, 0x61, 0x80]), [.character("a")])
        XCTAssertEqual(keys([0x01, 0x02, 0x1F]), [])
        XCTAssertEqual(keys("\u{202E}\u{9B}b"), [.character("b")])
        // A sequence without an end does not hold up the keys after it for ever.
        XCTAssertEqual(keys([0x1B, 0x5B] + Array(repeating: 0x30, count: 40), [], [0x61]), [.character("a")])
    }

    func testAnyBytesAreTaken() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var parser = KeyParser()
            for _ in 0..<8 {
                let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    [0x1B, 0x5B, 0x4F, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator)!
                }
                for key in parser.keys(from: bytes) {
                    guard case .character(let character) = key else { continue }
                    for scalar in character.unicodeScalars {
                        XCTAssertNotEqual(scalar.properties.generalCategory, .control)
                    }
                }
            }
        }
    }
}
