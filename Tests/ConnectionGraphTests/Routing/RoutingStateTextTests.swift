// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// The states of apps in the text of a routing.
final class RoutingStateTextTests: XCTestCase {
    private func text(_ states: String) -> String {
        "{\"format\": \"pipebus-routing\", \"version\": 1, \"connections\": [], \"states\": \(states)}"
    }

    private func state(
        app: String = "\"a.b\"", type: String = "\"t\"", version: String = "1", data: String = "\"AAEC\""
    ) -> String {
        text("[{\"app\": \(app), \"type\": \(type), \"version\": \(version), \"data\": \(data)}]")
    }

    private func assertRefused(_ text: String, _ place: String, _ words: String, line: UInt = #line) {
        XCTAssertThrowsError(try RoutingPreset(json: text), line: line) { error in
            let sentence = "\(error)"
            XCTAssertTrue(sentence.contains(place), sentence, line: line)
            XCTAssertTrue(sentence.contains(words), sentence, line: line)
            XCTAssertLessThan(sentence.utf8.count, 300, line: line)
            XCTAssertTrue(sentence.unicodeScalars.allSatisfy(\.isPrintable), sentence, line: line)
        }
    }

    /// All bytes, and all lengths of the last group of Base64.
    func testThereAndBack() throws {
        var random = SeededGenerator(seed: 27)
        for size in [0, 1, 2, 3, 4, 255, 256, 1000, 100_003] {
            let state = try RoutingState(
                app: "org.example.\u{E9}\"\\", type: "a \"type\"", version: .max,
                bytes: (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
            let preset = try RoutingPreset(connections: [], states: [state])
            XCTAssertEqual(try RoutingPreset(json: preset.json), preset)
        }
    }

    /// A routing without states is as it always was.
    func testWithoutStates() throws {
        XCTAssertFalse(try RoutingPreset(connections: []).json.contains("states"))
        XCTAssertEqual(try RoutingPreset(json: text("[]")).states, [])
    }

    func testValues() throws {
        XCTAssertEqual(try RoutingPreset(json: state()).states.first?.bytes, [0, 1, 2])
        for data in ["AAE", "AAECA", "AAE=A", "AAEC=", "AB==", "AA=", "=", "====", "A A=", "AAE_", "AA\\n=", "é==="] {
            assertRefused(state(data: "\"\(data)\""), "(states[0].data)", "no Base64")
        }
        for version in ["-1", "4294967296", "1e10"] {
            assertRefused(state(version: version), "(states[0].version)", "0 to 4294967295")
        }
        assertRefused(state(version: "1.5"), "(states[0].version)", "a whole number")
        for name in ["\"\"", "\"a\\u001b[2J\"", "\"a\\nb\"", "\"\(String(repeating: "a", count: 256))\""] {
            assertRefused(state(app: name), "(states[0])", "the name of the app must have 1 to 255 bytes")
            assertRefused(state(type: name), "(states[0])", "the name of the type of a state must have 1 to 255")
        }
        for value in ["null", "1", "[]", "{}"] {
            assertRefused(state(data: value), "(states[0].data)", "must be a text")
            assertRefused(state(app: value), "(states[0].app)", "must be a text")
        }
        assertRefused(text("{}"), "(states)", "must be a list")
        assertRefused(text("[{}]"), "(states[0])", "\"version\" is missing")
        assertRefused(text("[{\"app\": \"a\", \"type\": \"t\", \"version\": 1}]"), "(states[0])", "\"data\" is missing")
        assertRefused(
            text("[{\"apps\": \"a\", \"type\": \"t\", \"version\": 1}]"), "(states[0])", "did you mean \"app\"")
    }

    func testLimits() throws {
        let largest = RoutingState.largestSize
        let state = try RoutingState(app: "a", type: "t", version: 1, bytes: [UInt8](repeating: 0, count: largest))
        XCTAssertThrowsError(
            try RoutingState(app: "a", type: "t", version: 1, bytes: [UInt8](repeating: 0, count: largest + 1)))
        XCTAssertThrowsError(try RoutingPreset(connections: [], states: [state, state, state, state])) {
            XCTAssertTrue("\($0)".contains("80000000 bytes of states; at most 64000000"), "\($0)")
        }
        let small = try RoutingState(app: "a", type: "t", version: 1, bytes: [])
        _ = try RoutingPreset(connections: [], states: Array(repeating: small, count: 256))
        XCTAssertThrowsError(try RoutingPreset(connections: [], states: Array(repeating: small, count: 257)))
        // What is written can be read.
        XCTAssertLessThan(
            Base64.length(ofBytes: RoutingPreset.largestStates) + 2 * RoutingPreset.longestNames,
            RoutingPreset.longestText)
        let data = String(repeating: "A", count: (largest + 1) / 3 * 4)
        assertRefused(self.state(data: "\"\(data)\""), "(states[0])", "20000001 bytes; at most 20000000")
    }
}
