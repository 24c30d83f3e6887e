// SPDX-License-Identifier: MIT
import Synchronization

/// How long a filter delays, set from outside.
final class VariableDelay: Sendable {
    private let frames: Atomic<Int>

    init(_ frames: Int) { self.frames = Atomic(frames) }

    func set(_ frames: Int) { self.frames.store(frames, ordering: .relaxed) }

    /// The filter's input, as far as it may need it.
    struct Past: Sendable {
        private let delay: VariableDelay
        private var samples = [Float](repeating: 0, count: 1 << 14)
        private var next = 0

        init(_ delay: VariableDelay) { self.delay = delay }

        mutating func pass(_ sample: Float) -> Float {
            samples[next & (1 << 14 - 1)] = sample
            let old = samples[(next - delay.frames.load(ordering: .relaxed)) & (1 << 14 - 1)]
            next += 1
            return old
        }
    }
}
