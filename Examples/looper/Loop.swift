// SPDX-License-Identifier: MIT

/// A loop in memory: recorded, played over and over, and added to. Interleaved stereo; no thread, no clock.
actor Loop {
    enum State: String { case empty, recording, playing, overdubbing }

    /// The shortest and the longest recording, in seconds.
    static let lengths = 0.01...600.0
    /// In seconds: the first sound begins a recording of this length. Without it the key does, and ends it.
    private let length: Double?
    private(set) var state = State.empty
    /// Number of keys that have no effect yet.
    private var keys = 0
    private(set) var frames: [SIMD2<Float>] = []
    /// The position of the first frame, as the last one says. A frame of the loop belongs to each position of the graph.
    private var origin = 0
    /// The position of the next frame to play.
    private var next = 0

    init(length: Double?) { self.length = length }

    /// The key: record, play, overdub, play, overdub and so on, with the next block.
    func press() { keys += 1 }

    /// One key for each block: of several that came at once none is lost. None ends a recording that is too short.
    private func advance() {
        keys -= 1
        switch state {
        case .empty: state = .recording
        case .recording, .overdubbing: state = .playing
        case .playing: state = .overdubbing
        }
    }

    /// Takes what was made at a position, and puts the loop's sound in its place: that of the position at which it is heard, or, with
    /// `nil`, of the one after the last block. A block after a time without sound leads from there to where the loop is by then.
    /// What is overdubbed again and again stays at full scale. The graph's rate is 0 while it is not known.
    func pass(_ block: inout [Float], madeAt made: Int, heardAt heard: Int?, rate: Int) {
        let (last, first, count, rate) = (next, heard ?? next, block.count / 2, Double(max(rate, 8000)))
        let limit = Int(((length ?? Self.lengths.upperBound) * rate).rounded())
        if keys > 0, state != .recording || Double(frames.count) >= Self.lengths.lowerBound * rate { advance() }
        for frame in 0..<count {
            let live = SIMD2(block[2 * frame], block[2 * frame + 1])
            if state == .empty, length != nil, live != .zero { state = .recording }
            if state == .recording { frames.append(live) }
            if state == .recording { origin = made + frame + 1 - frames.count }
            if state == .overdubbing {
                let (place, old) = (index(of: made + frame), sound(at: made + frame))
                let limits = (pointwiseMin(old, -.one), pointwiseMax(old, .one))
                frames[place] = (old + live).clamped(lowerBound: limits.0, upperBound: limits.1)
            }
            let (old, new) = (sound(at: last + frame), sound(at: first + frame))
            let sound = old == new ? new : old + Float(frame + 1) / Float(count) * (new - old)
            (block[2 * frame], block[2 * frame + 1]) = (sound.x, sound.y)
            if state == .recording, frames.count >= limit { state = .playing }
        }
        next = first + count
    }

    private func sound(at position: Int) -> SIMD2<Float> {
        state == .playing || state == .overdubbing ? frames[index(of: position)] : .zero
    }

    private func index(of position: Int) -> Int { ((position - origin) % frames.count + frames.count) % frames.count }
}
