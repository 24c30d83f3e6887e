// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import PipeBus
import PipeBusTesting
import SeededRandom
import XCTest

@testable import PipeBusCommand

/// Names that other processes choose: nothing of them has a meaning in a terminal or in a format.
final class HostileDiagramTests: XCTestCase {
    static let names = [
        "", " ", "\n", "a\nb", "a\u{1B}[2J\u{1B}]0;x\u{7}", "\u{9B}31m", "a\u{0}b", "\u{202E}abc\u{2066}", "\u{7F}",
        "\u{85}\u{2028}\u{2029}",
        "\u{FFFE}\u{FFFF}", "]]>", "<script>alert(1)</script>", "\"/><x y=\"", "' onload='x", "&amp;&lt;&#x1b;", "<!--",
        "-->", "<![CDATA[",
        "\"; evil [label=\"x", "\\", "\\\"", "\\N\\G\\n", "n1\" -> \"n2", "*/", "//", "#", "`md`", "end", "\"]:::x",
        "click n1 \"x\"",
        "%%{init: {}}%%", "|x|", "{{x}}", "%s%n", "\u{FFFD}",
        String(decoding: [0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80], as: UTF8.self),
        "e" + String(repeating: "\u{301}", count: 100_000), String(repeating: "x", count: 1 << 20),
        String(repeating: "👩‍👩‍👧‍👦", count: 10_000), "\u{E0001}\u{E0041}", "\u{1F1E6}",
    ]

    private func fixture(_ name: String) -> DiagramFixture {
        var fixture = DiagramFixture()
        fixture.add(name, of: name, .sender, title: name, outputs: 1)
        fixture.add("f\(name)", of: "f\(name)", .filter, title: name, inputs: 1, outputs: 1)
        fixture.add(
            "in\(name)", of: name, .receiver, title: name, inputs: 4, width: 1, extra: ["pipebus.auxiliary": name])
        fixture.add("dev\(name)", of: nil, title: name, inputs: 1, outputs: 1, extra: ["media.class": "Audio/Sink"])
        fixture.connect(name, "f\(name)")
        fixture.connect("f\(name)", "in\(name)")
        fixture.connect("dev\(name)", "in\(name)", lane: 1)
        fixture.connect(name, "dev\(name)")
        fixture.facts.pace?.driver = name
        fixture.facts.levels[fixture.snapshot.ports.first { $0.kind == .receiver && !$0.isDevice }!.id] =
            .failure(PipeBusError(.unknownPort, name))
        return fixture
    }

    private func texts(_ name: String) throws -> [String: String] {
        let fixture = fixture(name)
        let diagram = fixture.diagram()
        let list = GraphListing(fixture.snapshot, levels: fixture.facts.levels).text(hasColours: false)
        return [
            "tree": GraphTree(diagram, columns: 80).text, "pipe": GraphTree(diagram).text,
            "dot": GraphDOT(diagram).text,
            "mermaid": GraphMermaid(diagram).text, "svg": GraphSVG(diagram).text,
            "json": try GraphDocument(diagram).jsonDocument, "list": list,
        ]
    }

    func testNothingIsActedOnByATerminal() throws {
        for name in Self.names { try assertNothingIsActedOn(name) }
    }

    /// A name must not add a line, an element or a string: there are as many as with a plain name.
    func testNothingIsAddedToAForm() throws { try assertNothingIsAdded(by: Self.names) }

    /// Names made of parts that mean something somewhere, put together at random.
    func testRandomNames() throws {
        var random = SeededGenerator(seed: 12)
        let parts = Self.names.filter { $0.utf8.count < 100 && !$0.isEmpty }
        let names = (0..<150).map { _ in
            (0..<Int.random(in: 1...12, using: &random)).map { _ -> String in
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let value = UInt32.random(in: 0...0x10FFFF, using: &random)
                    return Unicode.Scalar(value).map { String($0) } ?? "\u{FFFD}"
                case 1: return String(Unicode.Scalar(UInt8.random(in: 0...127, using: &random)))
                default: return parts.randomElement(using: &random) ?? ""
                }
            }
            .joined()
        }
        for name in names { try assertNothingIsActedOn(name) }
        try assertNothingIsAdded(by: names)
    }

    private func assertNothingIsActedOn(_ name: String) throws {
        for (form, text) in try texts(name) {
            let bad = text.unicodeScalars.first { scalar in
                scalar != "\n"
                    && ([.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                        || scalar.properties.isBidiControl)
            }
            XCTAssertNil(bad, "\(form) of \(name.debugDescription.prefix(60))")
            XCTAssertLessThan(text.utf8.count, 60_000, "\(form) of \(name.debugDescription.prefix(60))")
        }
    }

    private func assertNothingIsAdded(by names: [String]) throws {
        let plain = try texts("plain")
        let xml = try XCTUnwrap(elements(plain["svg"] ?? ""))
        for name in names {
            let texts = try texts(name)
            let label = "\(name.debugDescription.prefix(60))"
            for form in ["dot", "mermaid", "svg"] {
                XCTAssertEqual(
                    texts[form]?.split(separator: "\n").count, plain[form]?.split(separator: "\n").count,
                    "\(form) of \(label)")
            }
            XCTAssertTrue(elements(texts["svg"] ?? "") == xml, label)
            XCTAssertEqual(strings(texts["dot"] ?? ""), strings(plain["dot"] ?? ""), label)
            XCTAssertEqual(quotes(texts["mermaid"] ?? ""), quotes(plain["mermaid"] ?? ""), label)
            let json = try JSONSerialization.jsonObject(with: Data((texts["json"] ?? "").utf8)) as? [String: Any]
            XCTAssertEqual(json?["version"] as? Int, 1)
        }
    }

    func testGraphvizReadsEveryName() async throws {
        // Scripts/setup.sh installs it.
        let dot = "/usr/bin/dot"
        try XCTSkipUnless(FileManager.default.isExecutableFile(atPath: dot), "there is no Graphviz")
        let folder = NSTemporaryDirectory() + "pipebus-dot-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.names.enumerated().map { place, name in
            let file = "\(folder)/\(place).dot"
            try GraphDOT(fixture(name).diagram()).text.write(toFile: file, atomically: false, encoding: .utf8)
            return file
        }
        let process = try ChildProcess(dot, ["-Tplain"] + files, environment: [:])
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        XCTAssertEqual(process.output.lines.count { $0.hasPrefix("node ") }, 5 * files.count)
        XCTAssertEqual(process.output.lines.count { $0.hasPrefix("edge ") }, 4 * files.count)
    }

    // MARK: Readers

    /// The names of a document's elements, sorted; `nil` if it is no XML.
    private func elements(_ text: String) -> [String]? {
        final class Reader: NSObject, XMLParserDelegate {
            var names: [String] = []
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
                attributes: [String: String]
            ) {
                names.append("\(name) \(attributes.keys.sorted().joined(separator: " "))")
            }
        }
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        return parser.parse() ? reader.names.sorted() : nil
    }

    /// The number of strings of a DOT file; `nil` if one has no end.
    private func strings(_ text: String) -> Int? {
        var count = 0
        var isInside = false
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if isInside, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInside.toggle()
                if isInside { count += 1 }
            }
        }
        return isInside ? nil : count
    }

    private func quotes(_ text: String) -> Int { text.utf8.count { $0 == UInt8(ascii: "\"") } }
}
