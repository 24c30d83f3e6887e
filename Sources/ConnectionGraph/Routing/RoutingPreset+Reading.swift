// SPDX-License-Identifier: MIT

extension RoutingPreset {
    /// The name of the format, in its text.
    static let format = "pipebus-routing"

    /// Reads a routing from JSON, as ``json`` is and as a person may have changed it.
    ///
    /// The text may be a stranger's: each value is checked, keys that are not known are passed over unless they are nearly another, and nothing is read beyond
    /// ``longestText``.
    ///
    /// - Throws: ``RoutingError`` that names the line and the value; also for another ``version``.
    public init(json text: some Sequence<UInt8>) throws(RoutingError) {
        // A text of 100 MB takes seconds byte by byte.
        let bytes =
            text.withContiguousStorageIfAvailable {
                unsafe Array(UnsafeBufferPointer(rebasing: $0.prefix(Self.longestText + 1)))
            } ?? Array(text.prefix(Self.longestText + 1))
        guard bytes.count <= Self.longestText else {
            throw RoutingError(
                at: "the whole text", "it is longer than \(Self.longestText >> 20) MB, which no routing is")
        }
        let root = RoutingField(node: try JSONReader.read(bytes), path: "")
        guard case .object = root.node.value, let format = try root.member("format") else {
            throw root.error("this is no routing: an object with \"format\": \"\(Self.format)\" must be here")
        }
        guard try format.text() == Self.format else {
            throw format.error("this is no routing; its format is \"\(Self.format)\"")
        }
        let version = try root.required("version")
        let number = try version.wholeNumber()
        guard number == Self.version else {
            throw version.error(
                "the file is of version \(number), and this PipeBus reads version \(Self.version); use the PipeBus that wrote it, "
                    + "or save it anew"
            )
        }
        try root.check(keys: ["format", "version", "connections", "bypasses", "states"])
        let connections = try root.required("connections")
        let bypasses = try root.member("bypasses")
        let states = try root.member("states")
        let read = (
            try connections.list(ofAtMost: Self.mostConnections, "connections").mapTyped { field throws(RoutingError) in
                try RoutingConnection(field)
            },
            try (bypasses?.list(ofAtMost: Self.mostBypasses, "bypasses") ?? []).mapTyped { field throws(RoutingError) in
                try RoutingBypass(field)
            },
            try (states?.list(ofAtMost: Self.mostStates, "states") ?? []).mapTyped { field throws(RoutingError) in
                try RoutingState(field)
            }
        )
        // What is left concerns all of them.
        try self.init(connections: read.0, bypasses: read.1, states: read.2)
    }

    /// Reads a routing from JSON.
    ///
    /// - Throws: ``RoutingError`` as ``init(json:)-(Sequence)`` does.
    public init(json text: String) throws(RoutingError) { try self.init(json: text.utf8) }
}

extension Array {
    fileprivate func mapTyped<Result>(
        _ transform: (Element) throws(RoutingError) -> Result
    ) throws(RoutingError) -> [Result] {
        var results: [Result] = []
        results.reserveCapacity(count)
        for element in self { results.append(try transform(element)) }
        return results
    }
}

extension RoutingConnection {
    fileprivate init(_ field: RoutingField) throws(RoutingError) {
        try field.check(keys: ["from", "to", "channels", "level"])
        self.init(from: try PortMatcher(try field.required("from")), to: try PortMatcher(try field.required("to")))
        if let channels = try field.member("channels") { self.channels = try ChannelPairing(channels) }
        if let level = try field.member("level") { self.level = try RoutingLevel(level) }
    }
}

extension RoutingBypass {
    fileprivate init(_ field: RoutingField) throws(RoutingError) {
        try field.check(keys: ["filter", "bypassed"])
        self.init(try PortMatcher(try field.required("filter")), isBypassed: try field.required("bypassed").bool())
    }
}

extension RoutingState {
    fileprivate init(_ field: RoutingField) throws(RoutingError) {
        try field.check(keys: ["app", "type", "version", "data"])
        let version = try field.required("version")
        guard let number = UInt32(exactly: try version.wholeNumber()) else {
            throw version.error("this must be a version of a state, 0 to \(UInt32.max)")
        }
        let data = try field.required("data")
        guard let bytes = Base64.bytes(try data.text()) else {
            throw data.error("this is no Base64, or was cut; save the routing anew")
        }
        let (app, type) = (try field.required("app").text(), try field.required("type").text())
        self = try field.located { () throws(RoutingError) in
            try RoutingState(app: app, type: type, version: number, bytes: bytes)
        }
    }
}

extension PortMatcher {
    fileprivate init(_ field: RoutingField) throws(RoutingError) {
        try field.check(keys: ["app", "node", "number"])
        let app = try NamePattern(try field.member("app"))
        let node = try NamePattern(try field.member("node"))
        let number = try field.member("number")?.wholeNumber() ?? 1
        self = try field.located { () throws(RoutingError) in try PortMatcher(app: app, node: node, number: number) }
    }
}

extension NamePattern {
    fileprivate init?(_ field: RoutingField?) throws(RoutingError) {
        guard let field else { return nil }
        let text = try field.text()
        self = try field.located { () throws(RoutingError) in try NamePattern(text) }
    }
}

extension RoutingLevel {
    fileprivate init(_ field: RoutingField) throws(RoutingError) {
        try field.check(keys: ["volume", "pan", "muted", "soloed"])
        self.init(isMuted: try field.member("muted")?.bool(), isSoloed: try field.member("soloed")?.bool())
        if let volume = try field.member("volume") {
            let level = RoutingLevel(volume: try volume.number())
            try volume.located { () throws(RoutingError) in try level.check(at: "") }
            self.volume = level.volume
        }
        if let pan = try field.member("pan") {
            let level = RoutingLevel(pan: try pan.number())
            try pan.located { () throws(RoutingError) in try level.check(at: "") }
            self.pan = level.pan
        }
    }
}

extension ChannelPairing {
    /// | JSON | channels |
    /// | --- | --- |
    /// | `"matching"`, or no value | ``matching`` |
    /// | `"downmix"`, `{"downmix": "FL"}` | ``downmix(into:)`` |
    /// | `"single"`, `{"single": {"output": "FL", "input": "FR"}}` | ``single(output:input:)`` |
    /// | `[["FL", "FR"], ["FR", "FL"]]` | ``pairs(_:)`` |
    fileprivate init(_ field: RoutingField) throws(RoutingError) {
        switch field.node.value {
        case .text("matching"): self = .matching
        case .text("downmix"): self = .downmix()
        case .text("single"): self = .single()
        case .object:
            try field.check(keys: ["downmix", "single"])
            let (downmix, single) = (try field.member("downmix"), try field.member("single"))
            guard downmix == nil || single == nil else {
                throw field.error("\"downmix\" and \"single\" exclude each other; leave one of them out")
            }
            if let downmix {
                self = .downmix(into: try downmix.channel())
            } else if let single {
                try single.check(keys: ["output", "input"])
                self = .single(
                    output: try single.member("output")?.channel(), input: try single.member("input")?.channel())
            } else {
                throw field.error("\"downmix\" or \"single\" must be here")
            }
        case .list:
            var pairs: [Pair] = []
            for pair in try field.list(ofAtMost: RoutingPreset.mostChannelPairs, "pairs of channels") {
                let names = try pair.list()
                guard names.count == 2 else {
                    throw pair.error("a pair is a list of two channels: an output and an input")
                }
                pairs.append(Pair(try names[0].channel(), try names[1].channel()))
            }
            guard !pairs.isEmpty else {
                throw field.error("there is no pair of channels; leave it out to connect all channels")
            }
            self = .pairs(pairs)
        default:
            throw field.error(
                "this must be \"matching\", \"downmix\", \"single\", an object with one of the last two, or a list of pairs of channels"
            )
        }
    }
}

extension RoutingField {
    /// The name of a channel.
    fileprivate func channel() throws(RoutingError) -> String {
        let name = try text()
        guard ChannelPairing.isName(name) else { throw error(ChannelPairing.nameProblem) }
        return name
    }
}
