// SPDX-License-Identifier: MIT

/// What latencies that are declared in cycles or in time come to in frames.
package struct CycleSize: Sendable, Hashable {
    /// Of a cycle.
    package var frameCount: Int
    /// In hertz.
    package var sampleRate: Int

    package init(frameCount: Int, sampleRate: Int) {
        self.frameCount = frameCount
        self.sampleRate = sampleRate
    }

    /// For want of the real one.
    package static let usual = CycleSize(frameCount: 1024, sampleRate: 48_000)
}
