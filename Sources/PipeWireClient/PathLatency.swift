// SPDX-License-Identifier: MIT

/// How old sound is, or how long it will still take, in PipeWire's three units, whose sum counts: cycles, frames and
/// nanoseconds. Devices declare cycles, apps frames.
package struct PathLatency: Sendable, Hashable {
    package var cycles: Double
    package var frames: Int
    package var nanoseconds: Int

    /// The most of anything, so that no sum of a few can overflow: reports come from other processes.
    private static let limit = 1 << 30

    /// Not less than nothing, and not more than half an hour or so.
    package init(cycles: Double = 0, frames: Int, nanoseconds: Int = 0) {
        self.cycles = cycles.isFinite ? min(max(cycles, 0), 1024) : 0
        self.frames = min(max(frames, 0), Self.limit)
        self.nanoseconds = min(max(nanoseconds, 0), 1000 * Self.limit)
    }

    /// In frames, at a cycle's length and a rate in hertz; without a rate, which is known with the first cycle, only the
    /// frames among it.
    package func inFrames(cycleLength: Int, sampleRate: Int) -> Int {
        let time = Double(nanoseconds) / 1e9 * Double(max(sampleRate, 0))
        let others = min(cycles * Double(max(cycleLength, 0)) + time, Double(Self.limit))
        return min(frames + Int(others.rounded()), Self.limit)
    }

    /// It follows from the cycle's length or the rate.
    package var isRelative: Bool { cycles > 0 || nanoseconds > 0 }

    /// In frames: which of two is more.
    package func size(in cycle: CycleSize) -> Int {
        inFrames(cycleLength: cycle.frameCount, sampleRate: cycle.sampleRate)
    }

    /// The least of each unit, as PipeWire puts latencies together.
    package func leastOfEach(with other: Self) -> Self {
        PathLatency(
            cycles: min(cycles, other.cycles), frames: min(frames, other.frames),
            nanoseconds: min(nanoseconds, other.nanoseconds))
    }

    /// What must be added to another to make this; `nil` if something would have to be taken away.
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

/// The least and the most that a latency may be.
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

    /// From the least of both to the most, as cycles are now.
    package func joined(with other: Self, in cycle: CycleSize) -> Self {
        Self(
            other.minimum.size(in: cycle) < minimum.size(in: cycle) ? other.minimum : minimum,
            other.maximum.size(in: cycle) > maximum.size(in: cycle) ? other.maximum : maximum)
    }

    /// In frames. Nonsense, such as a least that is more than the most, is put right.
    package func inFrames(cycleLength: Int, sampleRate: Int) -> ClosedRange<Int> {
        let most = maximum.inFrames(cycleLength: cycleLength, sampleRate: sampleRate)
        let least = minimum.inFrames(cycleLength: cycleLength, sampleRate: sampleRate)
        return min(least, most)...max(least, most)
    }

    package var isRelative: Bool { minimum.isRelative || maximum.isRelative }

    /// The same in frames alone, as cycles are now.
    package func resolved(in cycle: CycleSize) -> Self {
        isRelative ? .frames(inFrames(cycleLength: cycle.frameCount, sampleRate: cycle.sampleRate)) : self
    }
}
