// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// A routing's text may be a stranger's.
final class HostileRoutingTests: XCTestCase {
    /// One sentence, which names the place and holds nothing that a terminal would act on.
    private func assertRefused(
        _ text: some Sequence<UInt8>, _ place: String, _ words: String, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        do {
            _ = try RoutingPreset(json: text)
            XCTFail("\(words): read", file: file, line: line)
        } catch {
            let sentence = "\(error)"
            XCTAssertEqual(error.place, place, sentence, file: file, line: line)
            XCTAssertTrue(error.problem.contains(words), sentence, file: file, line: line)
            XCTAssertTrue(sentence.hasSuffix(".") && !sentence.hasSuffix(".."), sentence, file: file, line: line)
            XCTAssertLessThan(sentence.utf8.count, 300, sentence, file: file, line: line)
            XCTAssertTrue(sentence.unicodeScalars.allSatisfy(\.isPrintable), sentence, file: file, line: line)
        }
    }

    private func assertRefused(
        _ text: String, _ place: String, _ words: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        assertRefused(Array(text.utf8), place, words, file: file, line: line)
    }

    func testTextsThatAreNoJSON() {
        for (text, column, words) in [
            ("", 1, "the text ends"), ("{", 2, "a key in quotation marks"), ("[1,]", 4, "a value must be here"),
            ("[1 2]", 4, "comma"), ("{\"a\" 1}", 6, "colon"), ("{\"a\":1,}", 8, "a key"), ("{'a':1}", 2, "a key"),
            ("nul", 1, "a value"), ("NaN", 1, "a value"), ("Infinity", 1, "a value"), ("-", 2, "a digit"),
            ("[01]", 3, "does not begin with 0"), ("[1.]", 4, "a digit"), ("[1e]", 4, "a digit"),
            ("[+1]", 2, "a value"),
            ("[.5]", 2, "a value"), ("[0x10]", 3, "comma"), ("\"abc", 1, "quotation mark that ends"),
            ("\"\\x\"", 3, "backslash"), ("\"\\u12g4\"", 6, "four hexadecimal"), ("\"\\ud800\"", 8, "half of a pair"),
            ("\"\\udc00\\ud800\"", 8, "half of a pair"), ("\"a\u{7}\"", 3, "\\u0007"), ("{} {}", 4, "behind the end"),
            ("{\"a\":1,\"a\":2}", 8, "a second time"), ("/* */ {}", 1, "a value"), ("\u{FEFF}\u{FEFF}{}", 1, "a value"),
            (String(repeating: "[", count: 100_000), 17, "in each other"),
            ("[\(String(repeating: "1", count: 65))]", 2, "64 characters"),
        ] {
            assertRefused(text, "line 1, column \(column)", words)
        }
        assertRefused("{\n  \"é\": 1,\n  \"é\": x}", "line 3, column 3", "a second time")
        assertRefused("[\n\n\"é\" \"", "line 3, column 5", "comma")
    }

    func testBytesThatAreNoUTF8() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]] {
            assertRefused(Array("[\"a".utf8) + bytes + Array("\"]".utf8), "line 1, column 2", "not valid UTF-8")
            assertRefused(Array("[".utf8) + bytes, "line 1, column 2", "there is a byte")
        }
        assertRefused([0], "line 1, column 1", "a byte 0")
    }

    /// A text with one value replaced.
    private func text(_ value: String, at key: String) -> String {
        var values = [
            "format": "\"pipebus-routing\"", "version": "1", "from": "{\"app\": \"a\", \"node\": \"b\"}",
            "to": "{\"node\": \"c\"}", "level": "{}", "channels": "\"matching\"", "bypasses": "[]",
        ]
        values[key] = value
        return """
            {"format": \(values["format"]!), "version": \(values["version"]!),
             "connections": \(values["connections"] ?? """
                [{"from": \(values["from"]!), "to": \(values["to"]!),
                "level": \(values["level"]!), "channels": \(values["channels"]!)}]
                """),
             "bypasses": \(values["bypasses"]!)}
            """
    }

    func testEachValueWrongInTurn() throws {
        _ = try RoutingPreset(json: text("{}", at: "level"))
        for (key, value, place, words) in [
            ("format", "\"pipebus-levels\"", "line 1 (format)", "no routing"),
            ("format", "1", "line 1 (format)", "a number"),
            ("version", "2", "line 1 (version)", "version 2"), ("version", "0", "line 1 (version)", "version 0"),
            ("version", "1.5", "line 1 (version)", "whole"), ("version", "1e999", "line 1 (version)", "whole"),
            ("version", "\"1\"", "line 1 (version)", "a text"), ("version", "null", "line 1 (version)", "null"),
            ("connections", "{}", "line 2 (connections)", "a list"),
            ("connections", "[7]", "line 2 (connections[0])", "an object"),
            ("connections", "[{}]", "line 2 (connections[0])", "\"from\" is missing"),
            ("connections", "[{\"from\": {\"app\": \"a\"}}]", "line 2 (connections[0])", "\"to\" is missing"),
            ("from", "null", "line 2 (connections[0].from)", "an object"),
            ("from", "{}", "line 2 (connections[0].from)", "neither an app nor a node"),
            ("from", "{\"app\": 1}", "line 2 (connections[0].from.app)", "a text"),
            ("from", "{\"app\": null, \"node\": \"x\"}", "line 2 (connections[0].from.app)", "a text"),
            ("from", "{\"app\": \"a\\u001b\"}", "line 2 (connections[0].from.app)", "control"),
            ("from", "{\"app\": \"a\\\\b\"}", "line 2 (connections[0].from.app)", "backslash"),
            ("to", "{\"app\": \"a\", \"node\": \"b\", \"number\": 0}", "line 2 (connections[0].to)", "no number"),
            ("to", "{\"app\": \"a\", \"node\": \"b\", \"number\": 1.5}", "line 2 (connections[0].to.number)", "whole"),
            ("to", "{\"app\": \"a\", \"node\": \"b\", \"number\": 9e99}", "line 2 (connections[0].to.number)", "whole"),
            ("to", "{\"app\": \"a*\", \"node\": \"b\", \"number\": 2}", "line 2 (connections[0].to)", "without *"),
            ("level", "[]", "line 3 (connections[0].level)", "an object"),
            ("level", "{\"volume\": 1.01}", "line 3 (connections[0].level.volume)", "0 to 1"),
            ("level", "{\"volume\": -0.1}", "line 3 (connections[0].level.volume)", "0 to 1"),
            ("level", "{\"volume\": 1e999}", "line 3 (connections[0].level.volume)", "0 to 1"),
            ("level", "{\"volume\": \"1\"}", "line 3 (connections[0].level.volume)", "a text"),
            ("level", "{\"pan\": -1.5}", "line 3 (connections[0].level.pan)", "-1 (left)"),
            ("level", "{\"muted\": 1}", "line 3 (connections[0].level.muted)", "true or false"),
            ("level", "{\"soloed\": null}", "line 3 (connections[0].level.soloed)", "true or false"),
            ("channels", "\"loud\"", "line 3 (connections[0].channels)", "downmix"),
            ("channels", "{}", "line 3 (connections[0].channels)", "downmix"),
            ("channels", "{\"downmix\": 1}", "line 3 (connections[0].channels.downmix)", "a text"),
            ("channels", "{\"single\": \"FL\"}", "line 3 (connections[0].channels.single)", "an object"),
            ("channels", "[]", "line 3 (connections[0].channels)", "no pair"),
            ("channels", "[[\"FL\"]]", "line 3 (connections[0].channels[0])", "two channels"),
            ("channels", "[[\"FL\", \"\"]]", "line 3 (connections[0].channels[0][1])", "1 to 300"),
            ("channels", "[[\"FL\", 1]]", "line 3 (connections[0].channels[0][1])", "a text"),
            ("bypasses", "{}", "line 4 (bypasses)", "a list"),
            ("bypasses", "[{\"filter\": {\"node\": \"x\"}}]", "line 4 (bypasses[0])", "\"bypassed\" is missing"),
            ("bypasses", "[{\"filter\": 1, \"bypassed\": true}]", "line 4 (bypasses[0].filter)", "an object"),
        ] {
            assertRefused(text(value, at: key), place, words)
        }
        assertRefused("[]", "line 1", "this is no routing")
        assertRefused("{\"version\": 1}", "line 1", "this is no routing")
        assertRefused("{\"format\": \"pipebus-routing\"}", "line 1", "\"version\" is missing")
    }

    func testTooMuchOfAnything() throws {
        let end = "{\"app\": \"a\", \"node\": \"b\"}"
        func many(_ element: String, _ count: Int) -> String {
            "[\(Array(repeating: element, count: count).joined(separator: ","))]"
        }
        func routing(_ connections: String, _ bypasses: String = "[]") -> String {
            "{\"format\":\"pipebus-routing\",\"version\":1,\"connections\":\(connections),\"bypasses\":\(bypasses)}"
        }
        let connection = "{\"from\":\(end),\"to\":\(end)}"
        XCTAssertEqual(try RoutingPreset(json: routing(many(connection, 1024))).connections.count, 1024)
        assertRefused(routing(many(connection, 1025)), "line 1 (connections)", "at most 1024")
        let bypass = "{\"filter\":\(end),\"bypassed\":true}"
        assertRefused(routing("[]", many(bypass, 1025)), "line 1 (bypasses)", "at most 1024")
        let pattern = "{\"from\":{\"app\":\"a*\"},\"to\":\(end)}"
        assertRefused(routing(many(pattern, 65)), "connections", "65 connections with a *")
        let pairs = "{\"from\":\(end),\"to\":\(end),\"channels\":\(many("[\"1\",\"1\"]", 2049))}"
        assertRefused(routing(many(pairs, 2)), "connections", "4098 pairs")
        let long = String(repeating: "x", count: 1024)
        let longEnd = "{\"app\":\"\(long)\",\"node\":\"\(long)\"}"
        assertRefused(routing(many("{\"from\":\(longEnd),\"to\":\(longEnd)}", 257)), "connections", "bytes of names")
        assertRefused(routing(many("0", 100_000)), "line 1, column 200048", "100000 values")
    }

    /// All that may be saved can be read.
    func testTheLargestRoutingIsRead() throws {
        let name = String(repeating: "\"", count: 256)
        let end = try PortMatcher(app: name, node: name)
        let preset = try RoutingPreset(
            connections: Array(repeating: RoutingConnection(from: end, to: end), count: 1023)
                + [
                    RoutingConnection(
                        from: try PortMatcher(app: "a", node: "b"), to: try PortMatcher(app: "a", node: "b"),
                        channels: .pairs(Array(repeating: .init("1", "2"), count: 96)))
                ],
            bypasses: [])
        XCTAssertEqual(try RoutingPreset(json: preset.json), preset)
    }

    func testAnEndlessText() {
        struct Endless: Sequence, IteratorProtocol {
            mutating func next() -> UInt8? { 0x20 }
        }
        assertRefused(Endless(), "the whole text", "longer than 96 MB")
    }

    /// Neither a trap nor a wrong reading, whatever bytes are changed.
    func testDamagedTexts() throws {
        var random = SeededGenerator(seed: 11)
        let whole = Array(RoutingTextTests.golden.utf8)
        var refused = 0
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(Array("{}[]\",:0\\*".utf8).randomElement(using: &random)!, at: place)
                default: bytes.removeLast(bytes.count - place)
                }
                if bytes.isEmpty { bytes = whole }
            }
            do {
                let preset = try RoutingPreset(json: bytes)
                XCTAssertEqual(try RoutingPreset(json: preset.json), preset)
                XCTAssertNoThrow(try JSONSerialization.jsonObject(with: Data(bytes)))
            } catch { refused += 1 }
        }
        XCTAssertGreaterThan(refused, 2000)
    }
}
