// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// The text of a routing.
final class RoutingTextTests: XCTestCase {
    static func preset() throws -> RoutingPreset {
        let tone = try PortMatcher(app: "org.example.tone", node: "Tone.out")
        let mixer = try PortMatcher(app: "org.example.mixer", node: "Mixer.in")
        return try RoutingPreset(
            connections: [
                RoutingConnection(
                    from: tone, to: mixer,
                    level: RoutingLevel(volume: 0.5, pan: -1, isMuted: true, isSoloed: false)),
                RoutingConnection(
                    from: try PortMatcher(app: "Firefox", node: "Firefox", number: 2), to: mixer, channels: .crossed,
                    level: RoutingLevel(pan: 0.25)),
                RoutingConnection(
                    from: try PortMatcher(app: nil, node: #"say "hi" \\ *"#),
                    to: try PortMatcher(app: "*", node: nil),
                    channels: .downmix(into: "FL")),
                RoutingConnection(from: try PortMatcher(app: "", node: "mic"), to: mixer, channels: .downmix()),
                RoutingConnection(from: mixer, to: mixer, channels: .single(output: "FL", input: "1")),
                RoutingConnection(from: mixer, to: tone, channels: .single()),
            ],
            bypasses: [
                RoutingBypass(try PortMatcher(app: "org.example.echo", node: "Echo.echo"), isBypassed: true),
                RoutingBypass(try PortMatcher(app: "org.example.echo", node: nil), isBypassed: false),
            ])
    }

    /// What is written today must be read for ever.
    static let golden = #"""
        {
          "format": "pipebus-routing",
          "version": 1,
          "connections": [
            {
              "from": {"app": "org.example.tone", "node": "Tone.out"},
              "to": {"app": "org.example.mixer", "node": "Mixer.in"},
              "level": {"volume": 0.5, "pan": -1, "muted": true, "soloed": false}
            },
            {
              "from": {"app": "Firefox", "node": "Firefox", "number": 2},
              "to": {"app": "org.example.mixer", "node": "Mixer.in"},
              "channels": [["FL", "FR"], ["FR", "FL"]],
              "level": {"pan": 0.25}
            },
            {
              "from": {"node": "say \"hi\" \\\\ *"},
              "to": {"app": "*"},
              "channels": {"downmix": "FL"}
            },
            {
              "from": {"app": "", "node": "mic"},
              "to": {"app": "org.example.mixer", "node": "Mixer.in"},
              "channels": "downmix"
            },
            {
              "from": {"app": "org.example.mixer", "node": "Mixer.in"},
              "to": {"app": "org.example.mixer", "node": "Mixer.in"},
              "channels": {"single": {"output": "FL", "input": "1"}}
            },
            {
              "from": {"app": "org.example.mixer", "node": "Mixer.in"},
              "to": {"app": "org.example.tone", "node": "Tone.out"},
              "channels": "single"
            }
          ],
          "bypasses": [
            {"filter": {"app": "org.example.echo", "node": "Echo.echo"}, "bypassed": true},
            {"filter": {"app": "org.example.echo"}, "bypassed": false}
          ]
        }

        """#

    func testAMisspeltKeyIsRefusedAndOthersArePassedOver() throws {
        for (key, misspelt) in [
            ("bypasses", "bypases"), ("from", "form"), ("channels", "chanels"), ("app", "ap"), ("number", "nubmer"),
            ("volume", "Volume"), ("muted", "mute"), ("output", "outputs"), ("bypassed", "bypased"),
        ] {
            let text = Self.golden.replacingOccurrences(of: "\"\(key)\":", with: "\"\(misspelt)\":")
            XCTAssertThrowsError(try RoutingPreset(json: text), misspelt) { error in
                let meant = "\"\(misspelt)\" has no meaning here; did you mean \"\(key)\"?"
                XCTAssert("\(error)".contains(meant), "\(error)")
            }
        }
        let others = Self.golden.replacingOccurrences(of: "{\"", with: "{\"x-mine\": [{\"form\": 1}], \"")
        XCTAssertEqual(try RoutingPreset(json: others), try Self.preset())
    }

    func testContradictoryChannelsAreRefused() throws {
        for channels in [#"{"downmix": "FL", "single": {}}"#, #"{"single": {"output": "FL"}, "downmix": "FL"}"#] {
            let text = Self.golden.replacingOccurrences(of: #"{"downmix": "FL"}"#, with: channels)
            XCTAssertThrowsError(try RoutingPreset(json: text), channels) { error in
                XCTAssertEqual(
                    "\(error)",
                    "line 19 (connections[2].channels): \"downmix\" and \"single\" exclude each other; leave one of them out."
                )
            }
        }
    }

    func testNamesThatFitNoPortAreRefused() throws {
        for names in [#"{"app": "", "node": ""}"#, #"{"node": ""}"#] {
            let text = Self.golden.replacingOccurrences(of: #"{"app": "", "node": "mic"}"#, with: names)
            XCTAssertThrowsError(try RoutingPreset(json: text), names) { error in
                XCTAssertEqual(
                    "\(error)",
                    "line 22 (connections[3].from): the app and the node have no name; name one of them at least.")
            }
        }
        XCTAssertEqual(try PortMatcher(app: "", node: nil).node, nil)
    }

    /// Some editors begin a text with a byte-order mark.
    func testAByteOrderMarkIsPassedOver() throws {
        XCTAssertEqual(try RoutingPreset(json: "\u{FEFF}" + Self.golden), try Self.preset())
        XCTAssertThrowsError(try RoutingPreset(json: "\u{FEFF}?")) { error in
            XCTAssertTrue("\(error)".hasPrefix("line 1, column 1: "), "\(error)")
        }
        for text in [" \u{FEFF}" + Self.golden, "\u{FEFF}\u{FEFF}" + Self.golden, Self.golden + "\u{FEFF}"] {
            XCTAssertThrowsError(try RoutingPreset(json: text))
        }
    }

    func testTheTextIsWordForWord() throws {
        XCTAssertEqual(try Self.preset().json, Self.golden)
        XCTAssertEqual(try RoutingPreset(json: Self.golden), try Self.preset())
        let empty = try RoutingPreset(connections: [])
        XCTAssertEqual(try RoutingPreset(json: empty.json), empty)
    }

    /// Another program reads it.
    func testItIsJSON() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.golden.utf8))
        let connections = try XCTUnwrap((object as? [String: Any])?["connections"] as? [[String: Any]])
        XCTAssertEqual((connections[2]["from"] as? [String: String])?["node"], #"say "hi" \\ *"#)
    }

    /// As people write, and as other programs do.
    func testOtherFormsAreRead() throws {
        let text = """
            \r\n\t{"version":1.0e0,"connections":[{"to":{"node":"B\\u00e9\\ud83d\\ude00\\/"},"level":{"soloed":true},"channels":"matching",
            "note":[[[{"a":null}]],-0.5E+3],"from":{"app":"A","node":"a","number":1}}],"made by":"hand","format":"pipebus-routing"}
            """
        let preset = try RoutingPreset(json: text)
        XCTAssertEqual(
            preset.connections,
            [
                RoutingConnection(
                    from: try PortMatcher(app: "A", node: "a"), to: try PortMatcher(app: nil, node: "Bé😀/"),
                    level: RoutingLevel(isSoloed: true))
            ])
        XCTAssertEqual(preset.bypasses, [])
    }

    func testRandomPresetsComeBack() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            let preset = try RandomRouting.preset(&random)
            XCTAssertEqual(try RoutingPreset(json: preset.json), preset, preset.json)
            XCTAssertEqual(try RoutingPreset(json: preset.json).json, preset.json)
            _ = try JSONSerialization.jsonObject(with: Data(preset.json.utf8))
        }
    }
}
