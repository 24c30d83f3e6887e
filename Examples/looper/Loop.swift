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
    private(set) var frames: [SIMD2<Float>] = []
    /// The position at which the first frame was made. A frame of the loop belongs to each position of the graph from then on.
    private var origin = 0
    /// The position of the next frame to play.
    private var next = 0

    init(length: Double?) { self.length = length }

    /// The key: record, play, overdub, play, overdub and so on, with the next block.
    func press() { keys += 1 }

    /// One key for each block: between two that came at once there is a block of sound, so that none is lost.
    private func advance() {
        keys -= 1
        switch state {
        case .empty: state = .recording
        case .recording: if !frames.isEmpty { state = .playing }
        case .playing: state = .overdubbing
        case .overdubbing: state = .playing
        }
    }

    /// Takes what was made at a position, and puts the loop's sound in its place: that of the position at which it is heard, or, with
    /// `nil`, of the one after the last block. A block after a time without sound leads from there to where the loop is by then.
    func pass(_ block: inout [Float], madeAt made: Int, heardAt heard: Int?, rate: Int) {
        if keys > 0 { advance() }
        let limit = Int(((length ?? Self.longest) * Double(rate)).rounded())
        let (last, first, count) = (next, heard ?? next, block.count / 2)
        for frame in 0..<count {
            let live = SIMD2(block[2 * frame], block[2 * frame + 1])
            if state == .empty, length != nil, live != .zero { state = .recording }
            if state == .recording, frames.isEmpty { origin = made + frame }
            if state == .recording { frames.append(live) }
            if state == .overdubbing { frames[index(of: made + frame)] += live }
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

    private func index(of position: Int) -> Int {
        let place = (position - origin) % frames.count
        return place < 0 ? place + frames.count : place
    }
}
