// SPDX-License-Identifier: MIT

/// Gives each sample back so many samples later; silence at first.
struct DelayLine: Sendable {
    private var past: [Float]
    private var next = 0

    init(_ frames: Int) { past = Array(repeating: 0, count: frames) }

    mutating func pass(_ sample: Float) -> Float {
        guard !past.isEmpty else { return sample }
        let old = past[next]
        past[next] = sample
        next = (next + 1) % past.count
        return old
    }
}
