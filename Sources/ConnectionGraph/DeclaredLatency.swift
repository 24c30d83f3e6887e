// SPDX-License-Identifier: MIT

/// A latency that follows from those which the ports of one or several paths declare.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct DeclaredLatency: Sendable, Hashable {
    /// The least and the largest of all paths, in frames at the graph's rate.
    public let frames: ClosedRange<Int>
    /// Whether all ports on the paths declare their latency, and all paths count.
    ///
    /// Nodes that were not made with PipeBus declare nothing here and count as 0 frames. Paths that lead back into a loop do
    /// not count.
    public let isComplete: Bool

    init(frames: ClosedRange<Int>, isComplete: Bool) {
        self.frames = frames
        self.isComplete = isComplete
    }

    static let zero = Self(frames: 0...0, isComplete: true)

    /// The latencies of both paths.
    func union(_ other: Self) -> Self {
        Self(
            frames: min(frames.lowerBound, other.frames.lowerBound)...max(frames.upperBound, other.frames.upperBound),
            isComplete: isComplete && other.isComplete)
    }

    /// The latency of a path that goes on through a port. The sum is clamped to 2³⁰ frames, as in PipeWire.
    static func + (left: Self, right: Self) -> Self {
        let limit = 1 << 30
        return Self(
            frames: min(
                left.frames.lowerBound + right.frames.lowerBound, limit)...min(
                    left.frames.upperBound + right.frames.upperBound, limit),
            isComplete: left.isComplete && right.isComplete)
    }
}

extension GraphPort {
    /// The latency that the port adds. A port that declares nothing counts as 0 frames.
    var declaredLatency: DeclaredLatency {
        DeclaredLatency(frames: (latency ?? 0)...(latency ?? 0), isComplete: latency != nil)
    }
}
