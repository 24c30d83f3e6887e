// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns the memory of a delay line.
///
/// - Thread: the client's.
final class DelayStorage {
    private let samples: OwnedCells<Float>
    let memory: DelayMemory

    /// - Parameters:
    ///   - frames: the longest delay and a cycle, in frames. Rounded up to a power of two.
    ///   - channels: 1 or more.
    init(frames: Int, channels: Int) {
        var length = 1
        while length < frames { length *= 2 }
        // Aligned to a cache line, because whole lines are written.
        samples = OwnedCells(repeating: 0, count: length * channels, alignment: 64)
        memory = DelayMemory(samples.cells, length: length)
    }
}
