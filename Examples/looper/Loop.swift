// SPDX-License-Identifier: MIT

/// A loop in memory: recorded, played over and over, and added to. Interleaved stereo; no thread, no clock.
struct Loop {
    enum State: String { case empty, recording, playing, overdubbing }

    private(set) var state = State.empty
    private var samples: [Float] = []
    /// The next sample to play.
    private var place = 0
    /// Frames from the loop's sound here until what a player adds to it comes back. While it is added to it stays the same.
    private var delay = 0
    /// The longest recording, in seconds.
    let limit: Double
    /// Whether the first sound begins the recording. Otherwise the key does.
    let beginsBySound: Bool
    /// Whether it is added to from its second round on.
    let overdubs: Bool

    init(limit: Double, beginsBySound: Bool, overdubs: Bool) {
        (self.limit, self.beginsBySound, self.overdubs) = (limit, beginsBySound, overdubs)
    }

    var frameCount: Int { samples.count / 2 }

    /// The key: record, play, overdub, play, overdub and so on.
    mutating func advance() {
        switch state {
        case .empty: state = .recording
        case .recording: if !samples.isEmpty { play(.playing) }
        case .playing: state = .overdubbing
        case .overdubbing: state = .playing
        }
    }

    /// Takes what was heard, and puts the loop's sound in its place.
    ///
    /// - Parameters:
    ///   - delay: see there.
    ///   - sampleRate: of the graph, in hertz.
    mutating func pass(_ block: inout [Float], delay: Int, sampleRate: Int) {
        if state != .overdubbing { self.delay = delay }
        let longest = max(Int((limit * Double(sampleRate)).rounded()), 1)
        for frame in stride(from: 0, to: block.count, by: 2) {
            if state == .empty, beginsBySound, block[frame] != 0 || block[frame + 1] != 0 { state = .recording }
            for index in frame...(frame + 1) { block[index] = next(block[index]) }
            if state == .recording, frameCount >= longest { play(overdubs ? .overdubbing : .playing) }
        }
    }

    /// Begins to play where the loop would be now, so that it is in time although its beginning cannot be heard any more.
    private mutating func play(_ newState: State) {
        state = newState
        place = 2 * delay % samples.count
    }

    private mutating func next(_ heard: Float) -> Float {
        if state == .recording { samples.append(heard) }
        guard state == .playing || state == .overdubbing else { return 0 }
        if state == .overdubbing {
            samples[(place + samples.count - 2 * delay % samples.count) % samples.count] += heard
        }
        defer { place = (place + 1) % samples.count }
        return samples[place]
    }
}
