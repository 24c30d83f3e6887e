// SPDX-License-Identifier: MIT

/// Which channels of a source go to which channels of a destination.
///
/// A channel is designated by its position ("FL", "AUX3"), by "L" or "R", by PipeWire's name of it ("output_FL"), or by its
/// number from "1". Upper and lower case are the same. At a receiver they are the channels of one source.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct ChannelPairing: Sendable, Hashable {
    /// One link: an output and an input.
    public struct Pair: Sendable, Hashable {
        /// The channel of the source.
        public let output: String
        /// The channel of the destination.
        public let input: String

        /// A link from a channel of the source to one of the destination, such as "FL" and "FR". Neither is checked here: `connect`
        /// throws `invalidArgument` for a channel that a port has not.
        public init(_ output: String, _ input: String) {
            self.output = output
            self.input = input
        }
    }

    enum Form: Sendable, Hashable {
        case matching
        case downmix(input: String?)
        case single(output: String?, input: String?)
        case pairs([Pair])
    }

    let form: Form

    /// The links, if they are given one by one.
    package var pairs: [Pair]? { if case .pairs(let pairs) = form { pairs } else { nil } }

    /// As many channels as the destination has, each to that of its number; or mono to both channels of stereo.
    public static let matching = ChannelPairing(form: .matching)

    /// Left to right and right to left.
    public static let crossed = pairs([Pair("FL", "FR"), Pair("FR", "FL")])

    /// All channels of the source to one of the destination, where PipeWire adds them up.
    ///
    /// Each has a gain of 1: what is equal in both channels of a stereo source is 6 dB louder, and may exceed 1.
    ///
    /// - Parameter input: the channel; without it the destination must have one only.
    public static func downmix(into input: String? = nil) -> ChannelPairing {
        ChannelPairing(form: .downmix(input: input))
    }

    /// One channel of the source alone.
    ///
    /// - Parameters:
    ///   - output: the channel; without it the source must have one only.
    ///   - input: the destination's channel; without it the channel goes where a mono source would go.
    public static func single(output: String? = nil, input: String? = nil) -> ChannelPairing {
        ChannelPairing(form: .single(output: output, input: input))
    }

    /// Exactly these links. A channel may be in several of them.
    public static func pairs(_ pairs: [Pair]) -> ChannelPairing { ChannelPairing(form: .pairs(pairs)) }
}
