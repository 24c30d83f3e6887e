// SPDX-License-Identifier: MIT
import Glibc
import ToolSupport

/// The sound that the demo sends.
struct DemoSound: Sendable {
    /// The longest part of a file that is sent, in seconds.
    static let longestSeconds = 20.0

    /// The part that is sent.
    let clip: AudioClip
    /// A file that holds it, for the sender.
    let path: String
    private let isTemporary: Bool

    /// - Parameter path: a sound file; `nil` for words that Debian installs.
    init(path: String?) throws {
        if let path {
            let whole = try AudioClip(contentsOf: path)
            clip = whole.prefix(seconds: Self.longestSeconds)
            self.path = path
            isTemporary = false
        } else {
            clip = try Self.words()
            self.path = try Self.write(clip)
            isTemporary = true
        }
        guard clip.samples.contains(where: { $0 != 0 }) else {
            remove()
            throw ToolFailure("\(self.path) holds silence only, in which no echo can be found; use another file.")
        }
    }

    private init(clip: AudioClip, path: String) {
        self.clip = clip
        self.path = path
        isTemporary = true
    }

    /// A copy in a file of its own, without a sample that is zero: a silence in a recording of it is none of its pauses. What
    /// stands for zero is too small for 16 bits.
    func withoutSilence() throws -> DemoSound {
        let samples = clip.samples.map { $0 == 0 ? 1e-5 : $0 }
        let clip = AudioClip(samples: samples, channelCount: clip.channelCount, sampleRate: clip.sampleRate)
        return DemoSound(clip: clip, path: try Self.write(clip))
    }

    func remove() {
        if isTemporary { unsafe unlink(path) }
    }

    /// "Front left, front center, front right", said by a woman for Debian's loudspeaker test.
    private static func words() throws -> AudioClip {
        let folder = "/usr/share/sounds/alsa"
        let clips: [AudioClip]
        do {
            clips = try ["Front_Left", "Front_Center", "Front_Right"].map { word in
                try AudioClip(contentsOf: "\(folder)/\(word).wav")
            }
        } catch {
            throw ToolFailure("There are no recorded words in \(folder); install alsa-utils, or give --file WAV.")
        }
        guard Set(clips.map(\.channelCount)).count == 1, Set(clips.map(\.sampleRate)).count == 1 else {
            throw ToolFailure("The recorded words in \(folder) do not go together; give --file WAV.")
        }
        return AudioClip(
            samples: clips.flatMap(\.samples), channelCount: clips[0].channelCount, sampleRate: clips[0].sampleRate)
    }

    private static func write(_ clip: AudioClip) throws -> String {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let file = try newFile(in: folder)
        do {
            var wav = try SoundFileWriter(
                file, channelCount: clip.channelCount, sampleRate: clip.sampleRate, format: .float32)
            try wav.write(clip.samples[...])
            try wav.close()
        } catch {
            unsafe unlink(file.path)
            throw error
        }
        return file.path
    }

    /// A file that was not there: in a folder for everybody, somebody may have put a link there under its name.
    private static func newFile(in folder: String) throws -> OutputFile {
        for number in 1...100 {
            if let file = try OutputFile.new(path: "\(folder)/pipebus-demo-\(getpid())-\(number).wav") { return file }
        }
        throw ToolFailure("The demo finds no free name for a file in \(folder); set TMPDIR to another folder.")
    }
}

extension AudioClip {
    fileprivate func prefix(seconds: Double) -> AudioClip {
        let frames = min(frameCount, Int((seconds * Double(sampleRate)).rounded()))
        return AudioClip(
            samples: Array(samples.prefix(frames * channelCount)), channelCount: channelCount, sampleRate: sampleRate)
    }
}
