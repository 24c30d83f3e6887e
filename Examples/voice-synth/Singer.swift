// SPDX-License-Identifier: MIT
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
}
