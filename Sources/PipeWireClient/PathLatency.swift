// SPDX-License-Identifier: MIT

/// A latency in PipeWire's three units, whose sum counts: cycles, frames and nanoseconds.
///
/// It is the age of sound, or the time that sound will still take. Devices declare cycles, apps frames.
package struct PathLatency: Sendable, Hashable {
    package var cycles: Double
    package var frames: Int
    package var nanoseconds: Int

    /// The largest value of each unit, so that a sum of a few cannot overflow: reports come from other processes.
    private static let limit = 1 << 30

    /// Values are clamped to 0 … about half an hour.
    package init(cycles: Double = 0, frames: Int, nanoseconds: Int = 0) {
        self.cycles = cycles.isFinite ? min(max(cycles, 0), 1024) : 0
        self.frames = min(max(frames, 0), Self.limit)
        self.nanoseconds = min(max(nanoseconds, 0), 1000 * Self.limit)
    }

    /// The latency in frames, at a cycle's length in frames and a sample rate in hertz.
    ///
    /// The rate is known with the first cycle. Without it only the part in frames counts.
    package func inFrames(cycleLength: Int, sampleRate: Int) -> Int {
        let time = Double(nanoseconds) / 1e9 * Double(max(sampleRate, 0))
        let others = min(cycles * Double(max(cycleLength, 0)) + time, Double(Self.limit))
        return min(frames + Int(others.rounded()), Self.limit)
    }

    /// Whether the latency in frames depends on the cycle's length or the sample rate.
    package var isRelative: Bool { cycles > 0 || nanoseconds > 0 }

    /// The latency in frames, to compare two of them.
    package func size(in cycle: CycleSize) -> Int {
        inFrames(cycleLength: cycle.frameCount, sampleRate: cycle.sampleRate)
    }

    /// The minimum of each unit, as PipeWire combines latencies.
    package func leastOfEach(with other: Self) -> Self {
        PathLatency(
            cycles: min(cycles, other.cycles), frames: min(frames, other.frames),
            nanoseconds: min(nanoseconds, other.nanoseconds))
    }

    /// The latency that must be added to another one to get this one; `nil` if a unit would be negative.
    package func difference(from other: Self) -> Self? {
        guard cycles >= other.cycles, frames >= other.frames, nanoseconds >= other.nanoseconds else { return nil }
        return PathLatency(
            cycles: cycles - other.cycles, frames: frames - other.frames, nanoseconds: nanoseconds - other.nanoseconds)
    }

    package static func + (left: Self, right: Self) -> Self {
        PathLatency(
            cycles: left.cycles + right.cycles, frames: left.frames + right.frames,
            nanoseconds: left.nanoseconds + right.nanoseconds)
    }
}

/// The range of a latency.
package struct PathLatencyRange: Sendable, Hashable {
    package var minimum: PathLatency
    package var maximum: PathLatency

    package init(_ minimum: PathLatency, _ maximum: PathLatency) {
        self.minimum = minimum
        self.maximum = maximum
    }

    package static let none = PathLatencyRange(PathLatency(frames: 0), PathLatency(frames: 0))

    package static func frames(_ range: ClosedRange<Int>) -> Self {
        Self(PathLatency(frames: range.lowerBound), PathLatency(frames: range.upperBound))
    }

    package static func + (left: Self, right: PathLatency) -> Self {
        Self(left.minimum + right, left.maximum + right)
    }

    /// The range from the minimum of both to the maximum, with the present length of cycles.
    package func joined(with other: Self, in cycle: CycleSize) -> Self {
        Self(
            other.minimum.size(in: cycle) < minimum.size(in: cycle) ? other.minimum : minimum,
            other.maximum.size(in: cycle) > maximum.size(in: cycle) ? other.maximum : maximum)
    }

    /// The range in frames. A minimum above the maximum is corrected.
    package func inFrames(cycleLength: Int, sampleRate: Int) -> ClosedRange<Int> {
        let most = maximum.inFrames(cycleLength: cycleLength, sampleRate: sampleRate)
        let least = minimum.inFrames(cycleLength: cycleLength, sampleRate: sampleRate)
        return min(least, most)...max(least, most)
    }

    package var isRelative: Bool { minimum.isRelative || maximum.isRelative }

    /// The range in frames alone, with the present length of cycles.
    package func resolved(in cycle: CycleSize) -> Self {
        isRelative ? .frames(inFrames(cycleLength: cycle.frameCount, sampleRate: cycle.sampleRate)) : self
    }
}
