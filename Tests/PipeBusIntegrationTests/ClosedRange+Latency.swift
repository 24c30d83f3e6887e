// SPDX-License-Identifier: MIT
import PipeBus

extension ClosedRange<Latency> {
    /// The same range in frames.
    var frames: ClosedRange<Int> { lowerBound.frames...upperBound.frames }
}
