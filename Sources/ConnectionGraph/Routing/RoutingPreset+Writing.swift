// SPDX-License-Identifier: MIT

extension RoutingPreset {
    /// The routing as JSON, with a line for each value, in a fixed order: for people, and for tools that compare lines.
    ///
    /// ```json
    /// {
    ///   "format": "pipebus-routing",
    ///   "version": 1,
    ///   "connections": [
    ///     {
    ///       "from": {"app": "org.example.tone", "node": "Tone.out"},
    ///       "to": {"app": "org.example.mixer", "node": "Mixer.in"},
    ///       "level": {"volume": 0.5, "pan": 0, "muted": false, "soloed": false}
    ///     }
    ///   ],
    ///   "bypasses": [
    ///     {"filter": {"app": "org.example.echo", "node": "Echo.echo"}, "bypassed": true}
    ///   ]
    /// }
    /// ```
    ///
    /// With states of apps there is a list "states" behind it, whose "data" is Base64.
    ///
    /// It ends with a line break. ``init(json:)-(String)`` reads it as an equal routing.
    public var json: String {
        let connections = connections.map { connection in
            let members = [
                ("from", connection.source.json), ("to", connection.destination.json),
                ("channels", connection.channels.json), ("level", connection.level?.json),
            ]
            let lines = members.compactMap { key, value in value.map { "      \"\(key)\": \($0)" } }
            return "    {\n\(lines.joined(separator: ",\n"))\n    }"
        }
        let bypasses = bypasses.map { bypass in
            "    {\"filter\": \(bypass.filter.json), \"bypassed\": \(bypass.isBypassed)}"
        }
        let states = states.map { state in
            // The letters of Base64 stand for themselves, and may be millions.
            let members = [
                ("app", JSONText.quoted(state.app)), ("type", JSONText.quoted(state.type)),
                ("version", "\(state.version)"),
                ("data", "\"\(Base64.text(state.bytes))\""),
            ]
            return "    {\n\(members.map { "      \"\($0)\": \($1)" }.joined(separator: ",\n"))\n    }"
        }
        return """
            {
              "format": \(JSONText.quoted(Self.format)),
              "version": \(Self.version),
              "connections": \(Self.list(connections)),
              "bypasses": \(Self.list(bypasses))\(states.isEmpty ? "" : ",\n  \"states\": \(Self.list(states))")
            }

            """
    }

    private static func list(_ elements: [String]) -> String {
        elements.isEmpty ? "[]" : "[\n\(elements.joined(separator: ",\n"))\n  ]"
    }
}

extension PortMatcher {
    fileprivate var json: String {
        JSONText.object([
            ("app", app.map { JSONText.quoted($0.text) }), ("node", node.map { JSONText.quoted($0.text) }),
            ("number", number > 1 ? "\(number)" : nil),
        ])
    }
}

extension RoutingLevel {
    fileprivate var json: String {
        JSONText.object([
            ("volume", volume.map(JSONText.number)), ("pan", pan.map(JSONText.number)),
            ("muted", isMuted.map { "\($0)" }), ("soloed", isSoloed.map { "\($0)" }),
        ])
    }
}

extension ChannelPairing {
    fileprivate var json: String? {
        switch form {
        case .matching: nil
        case .downmix(nil): "\"downmix\""
        case .downmix(let input?): JSONText.object([("downmix", JSONText.quoted(input))])
        case .single(nil, nil): "\"single\""
        case .single(let output, let input):
            JSONText.object([
                (
                    "single",
                    JSONText.object([
                        ("output", output.map(JSONText.quoted)), ("input", input.map(JSONText.quoted)),
                    ])
                )
            ])
        case .pairs(let pairs):
            "[\(pairs.map { "[\(JSONText.quoted($0.output)), \(JSONText.quoted($0.input))]" }.joined(separator: ", "))]"
        }
    }
}
