// SPDX-License-Identifier: MIT

/// Sound that is not in a file yet: samples and passages of silence, one after the other.
struct HeldSound {
    enum Part {
        case silence(frames: Int)
        /// Interleaved samples.
        case samples([Float])
    }

    private let channelCount: Int
    private var parts: [Part] = []
    /// The sound after the parts.
    private var tail: [Float] = []
    private(set) var frameCount = 0
    /// Number of frames that are not silence.
    private(set) var soundFrames = 0

    /// - Parameter channelCount: 1 or more.
    init(channelCount: Int) { self.channelCount = channelCount }

    /// Number of samples in memory, of all channels.
    var sampleCount: Int { soundFrames * channelCount }

    mutating func append(silence frames: Int) {
        guard frames > 0 else { return }
        seal()
        parts.append(.silence(frames: frames))
        frameCount += frames
    }

    /// - Parameter samples: interleaved, whole frames.
    mutating func append(_ samples: [Float]) {
        tail += samples
        frameCount += samples.count / channelCount
        soundFrames += samples.count / channelCount
        // Few large writes, and no large array that grows.
        if tail.count >= 1 << 16 { seal() }
    }

    private mutating func seal() {
        guard !tail.isEmpty else { return }
        parts.append(.samples(tail))
        tail = []
    }

    /// Removes and returns all parts, the oldest first.
    mutating func removeAll() -> [Part] {
        seal()
        defer { self = HeldSound(channelCount: channelCount) }
        return parts
    }
}
