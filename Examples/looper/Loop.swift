// SPDX-License-Identifier: MIT

/// A loop in memory: recorded, played over and over, and added to. Interleaved stereo; no thread, no clock.
actor Loop {
    enum State: String { case empty, recording, playing, overdubbing }

    /// The longest recording, in seconds.
    static let longest = 600.0

    /// In seconds: the first sound begins a recording of this length. Without it the key does, and ends it.
    private let length: Double?

    private(set) var state = State.empty
    /// Number of keys that have no effect yet.
    private var keys = 0
    private var samples: [Float] = []
    /// The next sample to play.
    private var place = 0
    /// Samples from the loop's sound here until what a player adds to it comes back. It stays while it is added to.
    private var delay = 0

    init(length: Double?) { self.length = length }

    var frameCount: Int { samples.count / 2 }

    /// The key: record, play, overdub, play, overdub and so on, with the next block.
    func press() { keys += 1 }

    /// One key for each block: between two that came at once there is a block of sound, so that none is lost.
    private func advance() {
        keys -= 1
        switch state {
        case .empty: state = .recording
        case .recording: if !samples.isEmpty { play() }
        case .playing: state = .overdubbing
        case .overdubbing: state = .playing
        }
    }

    /// Takes what was heard, and puts the loop's sound in its place. The delay is in frames, `nil`: as before; the rate in hertz.
    func pass(_ block: inout [Float], delay frames: Int?, sampleRate: Int) {
        if keys > 0 { advance() }
        if state != .overdubbing, let frames { delay = 2 * max(frames, 0) }
        let limit = Int(((length ?? Self.longest) * Double(sampleRate)).rounded())
        for frame in stride(from: 0, to: block.count, by: 2) {
            if state == .empty, length != nil, block[frame] != 0 || block[frame + 1] != 0 { state = .recording }
            for index in frame...(frame + 1) { block[index] = next(block[index]) }
            if state == .recording, frameCount >= limit { play() }
        }
    }

    /// Begins where the loop would be now, so that it is in time although its beginning cannot be heard any more.
    private func play() { (state, place) = (.playing, delay % samples.count) }

    private func next(_ heard: Float) -> Float {
        if state == .recording { samples.append(heard) }
        guard state == .playing || state == .overdubbing else { return 0 }
        if state == .overdubbing { samples[(place + samples.count - delay % samples.count) % samples.count] += heard }
        defer { place = (place + 1) % samples.count }
        return samples[place]
    }
}
