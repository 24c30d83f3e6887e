// SPDX-License-Identifier: MIT

extension ChannelPairing {
    /// The reason why a pairing does not fit two ports.
    package enum Fault: Error, Hashable {
        /// The numbers of channels do not go together.
        case mismatch
        /// The source, or the destination, has no such channel.
        case noOutput(String)
        case noInput(String)
    }

    /// The links, by the indexes of the channels, each once.
    package func resolve(
        outputs: [GraphPort.Channel], inputs: [GraphPort.Channel]
    ) throws(Fault) -> [ChannelMatching.Pair] {
        func output(_ name: String) throws(Fault) -> Int {
            guard let index = Self.index(of: name, in: outputs) else { throw .noOutput(name) }
            return index
        }
        func input(_ name: String) throws(Fault) -> Int {
            guard let index = Self.index(of: name, in: inputs) else { throw .noInput(name) }
            return index
        }
        switch form {
        case .matching:
            guard let pairs = ChannelMatching.pairs(outputs: outputs.count, inputs: inputs.count) else {
                throw .mismatch
            }
            return pairs
        case .downmix(let name):
            let index: Int? = if let name { try input(name) } else { inputs.count == 1 ? 0 : nil }
            guard let index, !outputs.isEmpty else { throw .mismatch }
            return outputs.indices.map { ChannelMatching.Pair(output: $0, input: index) }
        case .single(let from, let to):
            let start: Int? = if let from { try output(from) } else { outputs.count == 1 ? 0 : nil }
            guard let start else { throw .mismatch }
            if let to { return [ChannelMatching.Pair(output: start, input: try input(to))] }
            guard let pairs = ChannelMatching.pairs(outputs: 1, inputs: inputs.count) else { throw .mismatch }
            return pairs.map { ChannelMatching.Pair(output: start, input: $0.input) }
        case .pairs(let pairs):
            var links: [ChannelMatching.Pair] = []
            for pair in pairs {
                let link = ChannelMatching.Pair(output: try output(pair.output), input: try input(pair.input))
                if !links.contains(link) { links.append(link) }
            }
            guard !links.isEmpty else { throw .mismatch }
            return links
        }
    }

    /// - Returns: `nil` if none of the channels is designated so.
    package static func index(of name: String, in channels: [GraphPort.Channel]) -> Int? {
        // As long as PipeWire's names are, or a number.
        guard name.utf8.count <= 300 else { return nil }
        let text = name.lowercased()
        let position = ["l": "fl", "r": "fr"][text] ?? text
        if let index = channels.firstIndex(where: { $0.position?.lowercased() == position }) { return index }
        if let index = channels.firstIndex(where: { $0.name.lowercased() == text }) { return index }
        return Int(text).flatMap { channels.indices.contains($0 - 1) ? $0 - 1 : nil }
    }

    /// Whether a text is the name of a channel, whatever port it is of.
    package static func isPosition(_ text: String) -> Bool {
        let text = text.uppercased()
        if text.hasPrefix("AUX") { return Int(text.dropFirst(3)) != nil }
        return ["L", "R", "FL", "FR", "FC", "LFE", "SL", "SR", "RL", "RR", "RC", "MONO"].contains(text)
    }
}
