// SPDX-License-Identifier: MIT

/// A latency: the age of sound, or an increase of it, as frames of the graph and as time.
///
/// Frames are counted and compared: two latencies of one number of frames are equal. The time follows from the graph's
/// sample rate.
///
/// ```swift
/// print(input.latency.frames, input.latency.duration)
/// ```
///
/// - Thread: any. A value.
/// - Realtime: ``frames``, ``sampleRate`` and comparisons are safe; ``duration`` and ``description`` are for other threads.
public struct Latency: Sendable {
    /// The latency in frames at the graph's rate, 0 or more.
    public let frames: Int
    /// The graph's sample rate when the value was read, in hertz; 0 while it is not known.
    public let sampleRate: Int

    @_noLocks
    init(frames: Int, sampleRate: Int) {
        self.frames = frames
        self.sampleRate = sampleRate
    }

    /// The latency as time, at the graph's sample rate when the value was read. Zero while the rate is
    /// neither announced by the daemon nor known from a cycle.
    public var duration: Duration {
        guard sampleRate > 0 else { return .zero }
        // In two parts, so that no product overflows.
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / sampleRate)
    }
}

extension Latency: Comparable {
    @_noLocks
    public static func == (first: Self, second: Self) -> Bool { first.frames == second.frames }

    @_noLocks
    public static func < (first: Self, second: Self) -> Bool { first.frames < second.frames }
}

extension Latency: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(frames) }
}

extension Latency: CustomStringConvertible {
    /// The frames, and the time if it is known, such as "4800 frames (100 ms)".
    public var description: String {
        let count = frames == 1 ? "1 frame" : "\(frames) frames"
        guard sampleRate > 0 else { return count }
        // To a hundredth of a millisecond, which is half a frame.
        let milliseconds = "\((duration / .microseconds(10)).rounded() / 100)"
        let text = milliseconds.hasSuffix(".0") ? milliseconds.dropLast(2) : milliseconds[...]
        return "\(count) (\(text) ms)"
    }
}
