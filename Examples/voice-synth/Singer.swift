// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import RealtimeKit

/// What the app sings now.
actor Singer {
    private(set) var vowel = Vowel.a
    private(set) var pitch: Double
    private var song: Mailbox<Song>.Writer

    init(pitch: Double, _ song: consuming sending Mailbox<Song>.Writer) {
        self.pitch = pitch
        self.song = song
    }

    func singNext() { sing(vowel.next) }

    func sing(_ vowel: Vowel, at pitch: Double? = nil) {
        self.vowel = vowel
        self.pitch = pitch ?? self.pitch
        song.post(Song(pitch: self.pitch, formants: vowel.formants))
    }

    // MARK: State

    private static let stateType = "org.pipebus.voice-synth.song"

    /// What it sings is part of a routing that is saved with "pipebus save --state": "e 220.0".
    nonisolated func keepState(by service: AppService) async throws {
        try await service.keepState {
            AppState(type: Self.stateType, bytes: Array("\(await self.vowel.rawValue) \(await self.pitch)".utf8))
        } load: { state, _ in
            let words = String(decoding: state.bytes, as: UTF8.self).split(separator: " ")
            guard state.type == Self.stateType, state.version == 1, words.count == 2,
                let vowel = Vowel(rawValue: String(words[0])),
                let pitch = Double(words[1]), 20...2000 ~= pitch
            else { throw PipeBusError(.invalidArgument, "That is no song of a voice synth.") }
            await self.sing(vowel, at: pitch)
            return nil
        }
    }
}
