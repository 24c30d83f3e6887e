// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus

/// The channels that a person says go together.
struct TypedChannels: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "All channels of the source into one of the destination, where they are added up, each with a gain of 1: stereo into mono."
        ))
    var downmix = false
    @Option(
        help: ArgumentHelp(
            "The channels that go together, such as FL:FR,FR:FL for sides that are swapped: names, L and R, or numbers from 1.",
            valueName: "from:to,…"))
    var map: String?

    var isEmpty: Bool { !downmix && map == nil }

    /// No port has more, and nobody types more.
    private static let mostPairs = 256

    func validate() throws {
        _ = try pairs()
        if downmix, map != nil {
            throw ValidationError("Either --downmix or --map says where the channels go, not both.")
        }
    }

    /// - Parameters:
    ///   - output: the channel in the source's name.
    ///   - input: the channel in the destination's name.
    func pairing(from output: String?, to input: String?) throws -> ChannelPairing {
        if let pairs = try pairs() {
            guard output == nil, input == nil else {
                throw ValidationError("--map names the channels; name the ports without theirs.")
            }
            return .pairs(pairs)
        }
        if downmix {
            guard output == nil else {
                throw ValidationError("--downmix takes all channels; name the source without one.")
            }
            return .downmix(into: input)
        }
        return output == nil && input == nil ? .matching : .single(output: output, input: input)
    }

    private func pairs() throws -> [ChannelPairing.Pair]? {
        guard let map else { return nil }
        let parts = map.split(separator: ",", omittingEmptySubsequences: false).prefix(Self.mostPairs + 1)
        let pairs = parts.compactMap { part -> ChannelPairing.Pair? in
            let ends = part.split(separator: ":", omittingEmptySubsequences: false)
            guard ends.count == 2, ends.allSatisfy({ !$0.isEmpty }) else { return nil }
            return ChannelPairing.Pair(String(ends[0]), String(ends[1]))
        }
        guard pairs.count == parts.count, pairs.count <= Self.mostPairs else {
            throw ValidationError(
                "--map takes pairs of channels such as FL:FR,FR:FL, at most \(Self.mostPairs), not \"\(map.prefix(80))\"."
            )
        }
        return pairs
    }
}
