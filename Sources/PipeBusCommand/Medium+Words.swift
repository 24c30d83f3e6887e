// SPDX-License-Identifier: MIT
import PipeBus

extension Medium {
    /// All but sound.
    static let others = allCases.filter { $0 != .audio }

    /// The word for people.
    var word: String {
        switch self {
        case .audio: "audio"
        case .midi: "MIDI"
        case .video: "video"
        case .other: "control"
        }
    }

    /// The words behind the name of a connection of this medium; empty for sound.
    var note: String { self == .audio ? "" : "  (\(word))" }

    /// What a person is told of channels that carry no sound, such as "MIDI in" and "2 video in".
    ///
    /// - Parameter media: that of each channel.
    static func words(_ media: [Medium], _ direction: String) -> [String] {
        others.compactMap { medium in
            let count = media.count { $0 == medium }
            return count == 0 ? nil : "\(count == 1 ? "" : "\(count) ")\(medium.word) \(direction)"
        }
    }
}

extension GraphPort {
    var otherMediaWords: [String] {
        Medium.words(Medium.others.flatMap { inputs(of: $0) }.map(\.medium), "in")
            + Medium.words(Medium.others.flatMap { outputs(of: $0) }.map(\.medium), "out")
    }

    /// Whether anything can be connected to it, of any medium.
    var hasInputs: Bool { Medium.allCases.contains { !inputs(of: $0).isEmpty } }
    /// Whether it can be connected to anything.
    var hasOutputs: Bool { Medium.allCases.contains { !outputs(of: $0).isEmpty } }
}
