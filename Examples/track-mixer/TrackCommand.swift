// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// A line such as "volume 1 0.5": what to change, on which track, and to what.
struct TrackCommand {
    private enum Change { case volume(Double), pan(Double), mute(Bool), solo(Bool) }

    private let track: Int
    private let change: Change

    init(_ line: String) throws {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 3, let track = Int(words[1]), (1...TrackMixer.trackCount).contains(track),
            let change = Self.change(words[0], words[2])
        else {
            throw ToolFailure(
                "\"\(line.prefix(80))\" is no command; type \"volume 1 0.5\" (0 to 1), \"pan 1 -0.3\" (-1 to 1), "
                    + "\"mute 1 on\" or \"solo 1 off\", with a track from 1 to \(TrackMixer.trackCount).")
        }
        self.track = track
        self.change = change
    }

    private static func change(_ word: String, _ value: String) -> Change? {
        let number = Double(value)
        switch word {
        case "volume": return number.flatMap { (0...1).contains($0) ? .volume($0) : nil }
        case "pan": return number.flatMap { (-1...1).contains($0) ? .pan($0) : nil }
        case "mute" where value == "on" || value == "off": return .mute(value == "on")
        case "solo" where value == "on" || value == "off": return .solo(value == "on")
        default: return nil
        }
    }

    func perform(at input: ReceiverPort) async throws {
        guard let source = try await input.sources.first(where: { $0.lane == track - 1 }) else {
            throw ToolFailure("Nothing is connected to track \(track).")
        }
        switch change {
        case .volume(let volume): try await input.setVolume(volume, for: source.id)
        case .pan(let pan): try await input.setPan(pan, for: source.id)
        case .mute(let isMuted): try await input.setMuted(isMuted, for: source.id)
        case .solo(let isSoloed): try await input.setSoloed(isSoloed, for: source.id)
        }
    }
}
