// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The key under which one part of a source's mix level is shared: `level/RECEIVER/SOURCE/PART`, with the receiver's
/// name in its app and the serial of the source's node.
///
/// Text from other processes is parsed strictly.
struct LevelKey: Hashable, Sendable {
    /// The prefix of all such keys.
    static let prefix = "level/"

    enum Part: String, CaseIterable, Sendable { case volume, pan, mute, solo }

    var receiver: String
    var source: GraphPort.ID
    var part: Part

    init(receiver: String, source: GraphPort.ID, part: Part) {
        self.receiver = receiver
        self.source = source
        self.part = part
    }

    /// `nil` for any other text.
    init?(_ text: String) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "level", !words[1].isEmpty, words[2].utf8.allSatisfy({ 48...57 ~= $0 }),
            let serial = UInt64(words[2]), let part = Part(rawValue: String(words[3]))
        else { return nil }
        self.init(receiver: String(words[1]), source: GraphPort.ID(serial: serial), part: part)
        // One text for one key: no leading zeros, and no other Unicode form of the same letters.
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }

    var text: String { "\(Self.prefix)\(receiver)/\(source.serial)/\(part.rawValue)" }
}

extension LevelKey.Part {
    /// PipeWire's name for the type of the value.
    var type: String {
        switch self {
        case .volume, .pan: "Spa:Float"
        case .mute, .solo: "Spa:Bool"
        }
    }

    func text(of level: Source.Level) -> String {
        switch self {
        case .volume: "\(level.volume)"
        case .pan: "\(level.pan)"
        case .mute: "\(level.isMuted)"
        case .solo: "\(level.isSoloed)"
        }
    }

    /// Sets this part of a level from a text. A number out of range is clamped.
    ///
    /// - Returns: the reason why the text is invalid; `nil` if it is valid.
    func set(_ level: inout Source.Level, to text: String) -> String? {
        switch self {
        case .volume, .pan:
            guard let number = Double(text), number.isFinite else { return "\"\(Names.shown(text))\" is no number" }
            if self == .volume { level.volume = number } else { level.pan = number }
        case .mute, .solo:
            let values = ["true": true, "1": true, "false": false, "0": false]
            guard let value = values[text] else { return "\"\(Names.shown(text))\" is neither true nor false" }
            if self == .mute { level.isMuted = value } else { level.isSoloed = value }
        }
        return nil
    }
}
