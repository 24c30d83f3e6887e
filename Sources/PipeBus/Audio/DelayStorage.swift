// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns the memory of a delay line.
///
/// - Thread: the client's.
final class DelayStorage {
    private let samples: OwnedCells<Float>
    let memory: DelayMemory

    /// - Parameters:
    ///   - frames: that the line must hold, a cycle included. Rounded up to a power of two.
    ///   - channels: 1 or more.
    init(frames: Int, channels: Int) {
        var length = 1
        while length < frames { length *= 2 }
        // On a cache line, because whole ones are written.
        samples = OwnedCells(repeating: 0, count: length * channels, alignment: 64)
        memory = DelayMemory(samples.cells, length: length)
    }
}
