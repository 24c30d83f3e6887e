// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

final class NamePatternTests: XCTestCase {
    func testPatterns() throws {
        for (pattern, fitting, others) in [
            ("Tone.out", ["Tone.out"], ["tone.out", "Tone.out2", "Tone.ou", ""]),
            ("", [""], ["a"]),
            ("*", ["", "a", "*", "é"], []),
            ("Tone*", ["Tone", "Tone.out"], ["tone", " Tone"]),
            ("*out", ["out", "Tone.out", "outout"], ["out2"]),
            ("a*b*c", ["abc", "aXbYc", "abbc", "abcbc"], ["ab", "acb", "abcd"]),
            ("a*a", ["aa", "aba"], ["a"]),
            ("**", ["", "x"], []),
            (#"\*"#, ["*"], ["a", ""]),
            (#"a\\*"#, [#"a\"#, #"a\b"#], ["a"]),
            ("é*", ["étude"], ["e\u{301}tude"]),
        ] {
            let pattern = try NamePattern(pattern)
            for name in fitting { XCTAssertTrue(pattern.fits(name), "\(pattern) and \(name)") }
            for name in others { XCTAssertFalse(pattern.fits(name), "\(pattern) and \(name)") }
        }
    }

    func testBadPatterns() {
        for (text, words) in [
            (String(repeating: "a", count: 1025), "1025 bytes"), ("a\u{1B}[31m", "control"), ("\u{202E}a", "direction"),
            (#"a\b"#, "backslash"), (#"a\"#, "backslash"), ("*********", "9 *"),
        ] {
            XCTAssertThrowsError(try NamePattern(text)) { error in
                XCTAssertTrue("\(error)".contains(words), "\(error)")
            }
        }
    }

    func testTheExactPatternOfANameFitsItAlone() throws {
        for name in ["Tone.out", "", "*", #"\"#, #"\*\\"#, "a*b"] {
            let pattern = try XCTUnwrap(NamePattern(exactly: name))
            XCTAssertEqual(pattern.name, name)
            XCTAssertTrue(pattern.fits(name))
            XCTAssertFalse(pattern.fits(name + "x"))
            XCTAssertEqual(try NamePattern(pattern.text), pattern)
        }
        XCTAssertNil(NamePattern(exactly: String(repeating: "*", count: 513)))
    }

    /// Names of three letters, which are alike often.
    func testRandomPatternsAgreeWithAReference() throws {
        var random = SeededGenerator(seed: 7)
        var fitting = 0
        for _ in 0..<20_000 {
            func text(_ alphabet: [String]) -> [String] {
                (0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            }
            let pattern = text(["a", "b", "*", #"\*"#])
            guard pattern.count(where: { $0 == "*" }) <= NamePattern.mostWildcards else { continue }
            let name = text(["a", "b", "*"])
            let expected = Self.fits(pattern[...], name[...])
            XCTAssertEqual(try NamePattern(pattern.joined()).fits(name.joined()), expected, "\(pattern) and \(name)")
            if expected { fitting += 1 }
        }
        XCTAssertGreaterThan(fitting, 1000)
    }

    private static func fits(_ pattern: ArraySlice<String>, _ name: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" { return fits(pattern.dropFirst(), name) || !name.isEmpty && fits(pattern, name.dropFirst()) }
        guard let letter = name.first else { return false }
        return (first == #"\*"# ? "*" : first) == letter && fits(pattern.dropFirst(), name.dropFirst())
    }

    /// Another program chooses the names.
    func testALongNameIsNoWork() throws {
        let pattern = try NamePattern("*" + String(repeating: "a", count: 500) + "b*")
        XCTAssertFalse(pattern.fits(String(repeating: "a", count: 4096)))
        XCTAssertFalse(pattern.fits(String(repeating: "a", count: 1_000_000) + "b"))
    }
}
