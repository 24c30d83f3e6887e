// SPDX-License-Identifier: MIT
import SeededRandom

@testable import ConnectionGraph

/// Routings chosen at random, for texts: with every form of every part.
enum RandomRouting {
    static func preset(_ random: inout SeededGenerator) throws -> RoutingPreset {
        try RoutingPreset(
            connections: (0..<Int.random(in: 0...6, using: &random)).map { _ in
                RoutingConnection(
                    from: try matcher(&random), to: try matcher(&random), channels: channels(&random),
                    level: Bool.random(using: &random) ? level(&random) : nil)
            },
            bypasses: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                RoutingBypass(try matcher(&random), isBypassed: Bool.random(using: &random))
            })
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let parts = ["a", "Tone.out", "\"", "é", "😀", "\u{AD}", " ", "'", "/", "{", ":", "\u{E000}", "\u{301}"]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
    }

    private static func matcher(_ random: inout SeededGenerator) throws -> PortMatcher {
        var (app, node) = (text(&random), text(&random))
        let escaped = [#"\*"#, #"\\"#, ""].randomElement(using: &random)!
        // Without any name it is refused.
        if app.isEmpty, node.isEmpty { (app, node) = Bool.random(using: &random) ? ("a", "") : ("", "a") }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return try PortMatcher(app: app + escaped, node: nil)
        case 1: return try PortMatcher(app: nil, node: node + "*" + escaped)
        case 2: return try PortMatcher(app: "*" + app, node: node)
        default: return try PortMatcher(app: app + escaped, node: node, number: Int.random(in: 1...3, using: &random))
        }
    }

    private static func channels(_ random: inout SeededGenerator) -> ChannelPairing {
        func name() -> String { ["FL", "\"1\"", "é", "output_FR", "\\"].randomElement(using: &random)! }
        func option() -> String? { Bool.random(using: &random) ? name() : nil }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .matching
        case 1: return .downmix(into: option())
        case 2: return .single(output: option(), input: option())
        default:
            return .pairs((0..<Int.random(in: 1...3, using: &random)).map { _ in .init(name(), name()) })
        }
    }

    private static func level(_ random: inout SeededGenerator) -> RoutingLevel {
        func number(_ range: ClosedRange<Double>) -> Double? {
            [nil, 0, -0.0, range.upperBound, .leastNonzeroMagnitude, Double.random(in: range, using: &random)]
                .randomElement(using: &random)!
        }
        func bool() -> Bool? { [nil, true, false].randomElement(using: &random)! }
        return RoutingLevel(volume: number(0...1), pan: number(-1...1), isMuted: bool(), isSoloed: bool())
    }
}
