// SPDX-License-Identifier: MIT

/// The length of a cycle, which turns latencies in cycles or in time into frames.
package struct CycleSize: Sendable, Hashable {
    /// Number of frames in a cycle.
    package var frameCount: Int
    /// The sample rate, in hertz.
    package var sampleRate: Int

    package init(frameCount: Int, sampleRate: Int) {
        self.frameCount = frameCount
        self.sampleRate = sampleRate
    }

    package var duration: Duration { .seconds(Double(frameCount) / Double(max(sampleRate, 1))) }

    /// The size that is assumed until the real one is known.
    package static let usual = CycleSize(frameCount: 1024, sampleRate: 48_000)
}
