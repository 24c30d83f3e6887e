// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// A line such as "volume 1 0.5": the change, the track and the value.
struct TrackCommand {
    private let track: Int
    private let change: LevelChange
    /// A sentence about the value, if it is not taken as it is.
    let remark: String?

    init(_ line: String) throws {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        // A unit may stand by itself: "-6 dB".
        let value = words.dropFirst(2).joined(separator: " ")
        guard (3...4).contains(words.count), let track = Int(words[1]), (1...TrackMixer.trackCount).contains(track),
            let change = try Self.change(words[0], value)
        else {
            throw ToolFailure(
                "\(line.quoted) is no command; type \"volume 1 0.5\" (0 to 1) or \"volume 1 -6dB\", "
                    + "\"pan 1 -0.3\" (-1 to 1), \"mute 1 on\" or \"solo 1 off\", "
                    + "with a track from 1 to \(TrackMixer.trackCount).")
        }
        self.track = track
        self.change = change
        remark = words[0] == "volume" ? TypedLevel.remark(onVolume: value) : nil
    }

    /// - Returns: `nil` for a word that is no command.
    /// - Throws: `ValidationError` for a number that is none.
    private static func change(_ word: String, _ value: String) throws -> LevelChange? {
        switch word {
        case "volume": try TypedLevel.volume(value)
        case "pan": try TypedLevel.pan(value)
        case "mute" where value == "on" || value == "off": .muted(value == "on")
        case "solo" where value == "on" || value == "off": .soloed(value == "on")
        default: nil
        }
    }

    func perform(at input: ReceiverPort) async throws {
        guard let source = try await input.sources.first(where: { $0.lane == track - 1 }) else {
            throw ToolFailure("Nothing is connected to track \(track); connect an app first, or take another track.")
        }
        switch change {
        case .volume(let volume): try await input.setVolume(volume, for: source.id)
        case .pan(let pan): try await input.setPan(pan, for: source.id)
        case .muted(let isMuted): try await input.setMuted(isMuted, for: source.id)
        case .soloed(let isSoloed): try await input.setSoloed(isSoloed, for: source.id)
        }
    }
}
