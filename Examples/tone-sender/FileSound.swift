// SPDX-License-Identifier: MIT
import Synchronization
import ToolSupport

/// The sound of a file as it is to be played: with a gain, once or over and over, as long as is wanted.
///
/// A file that is cut off is played as far as it goes, and a sentence says so: at the start if the file's size shows it (WAV, AIFF), and
/// otherwise where it ends (FLAC). That is no failure, and the exit status is 0, as of other players: what is there was heard.
///
/// - Thread: any that may wait for the disk.
final class FileSound: Sendable {
    private struct Place {
        /// Frames to come; `Int.max` if there is no limit.
        var remaining: Int
        /// Frames since the file's beginning.
        var round = 0
        /// Number of frames of a round, once one has ended; 0 before.
        var roundLength = 0
        /// Whether the length that the header claims was compared with that of the sound.
        var isLengthChecked = false
        /// Whether a sentence has said that the file holds samples without a value.
        var isNonsenseReported = false
    }

    private let file: SoundFileReader
    private let isLooped: Bool
    private let gain: Float
    private let place: Mutex<Place>

    var sampleRate: Int { file.sampleRate }
    var channelCount: Int { file.channelCount }

    /// Opens a file.
    ///
    /// - Parameter seconds: the longest time to play.
    /// - Throws: ``ToolFailure`` if it cannot be played.
    init(path: String, isLooped: Bool, gain: Float, seconds: Double?) throws {
        file = try SoundFileReader(path: path)
        guard (8_000...384_000).contains(file.sampleRate) else {
            throw ToolFailure(
                "\(path) has a sample rate of \(file.sampleRate) Hz, and 8000 to 384000 can be played; convert the file."
            )
        }
        // Its header may claim frames that it does not have.
        guard try !file.read(upTo: 1).isEmpty else {
            throw ToolFailure(
                "\(path) holds no sound, or its header says so; use another file, or try streaming-player < \(path).")
        }
        try file.rewind()
        self.isLooped = isLooped
        self.gain = gain
        let rate = Double(file.sampleRate)
        place = Mutex(
            Place(remaining: seconds.map { Int(($0 * rate).rounded()) } ?? .max, isLengthChecked: file.isCutOff))
        if file.isCutOff { reportShortfall(file.frameCount) }
    }

    private func reportShortfall(_ frames: Int) {
        // 0 and the largest number are claimed where the length is not known.
        guard frames < file.claimedFrameCount, file.claimedFrameCount < 1 << 48 else { return }
        let end = file.isCutOff ? "ends" : "is cut off or damaged"
        Terminal.complain(
            "\(file.path) \(end) after \(frames) of the \(file.claimedFrameCount) frames that its header claims; "
                + "play another copy of it to hear the rest", as: "tone-sender")
    }

    /// The next samples, interleaved; `nil` after the end. The first frame of a loop follows the last one in the same block.
    ///
    /// - Parameter frameCount: the largest number of frames, 1 or more.
    /// - Throws: ``ToolFailure`` if the disk fails.
    func next(_ frameCount: Int) throws -> [Float]? {
        try place.withLock { place in
            let wanted = min(frameCount, place.remaining)
            var samples: [Float] = []
            while samples.count < wanted * channelCount {
                let missing = wanted - samples.count / channelCount
                guard !isLooped || !(1..<frameCount).contains(place.roundLength) else {
                    samples += try repeated(missing, &place)
                    break
                }
                let part = try file.read(upTo: missing)
                samples += part
                place.round += part.count / channelCount
                if part.isEmpty {
                    guard try goBack(&place) else { break }
                }
            }
            if place.remaining < .max { place.remaining -= samples.count / channelCount }
            if gain != 1 { for index in samples.indices { samples[index] *= gain } }
            silenceNonsense(in: &samples, &place)
            return samples.isEmpty ? nil : samples
        }
    }

    /// Plays samples that are infinite or no number, which a damaged file of floats may hold, as silence. A receiver would silence
    /// the whole cycle.
    private func silenceNonsense(in samples: inout [Float], _ place: inout Place) {
        for index in samples.indices where !samples[index].isFinite {
            samples[index] = 0
            guard !place.isNonsenseReported else { continue }
            place.isNonsenseReported = true
            Terminal.complain(
                "\(file.path) holds samples that are infinite or no number; they are played as silence",
                as: "tone-sender")
        }
    }

    /// The next frames of a loop that is shorter than they are. It is read once and repeated in memory: a thousand reads of some
    /// frames each would take longer than these are heard.
    ///
    /// - Throws: ``ToolFailure`` if the disk fails, or the file has changed.
    private func repeated(_ frameCount: Int, _ place: inout Place) throws -> [Float] {
        try file.rewind()
        var samples = try file.read(upTo: place.roundLength)
        let length = samples.count / channelCount
        guard length > 0 else { throw ToolFailure("\(file.path) holds no sound any more; use another file.") }
        let first = place.round % length
        while samples.count < (first + frameCount) * channelCount { samples += samples }
        place.round = (first + frameCount) % length
        return Array(samples[(first * channelCount)..<((first + frameCount) * channelCount)])
    }

    /// Goes back to the beginning, if there is to be another round.
    private func goBack(_ place: inout Place) throws -> Bool {
        if !place.isLengthChecked { reportShortfall(place.round) }
        place.isLengthChecked = true
        guard isLooped else { return false }
        guard place.round > 0 else { throw ToolFailure("\(file.path) holds no sound any more; use another file.") }
        try file.rewind()
        place.roundLength = place.round
        place.round = 0
        return true
    }
}
