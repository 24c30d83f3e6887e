// SPDX-License-Identifier: MIT

/// Converts places and lengths from the graph's frames to those of a recording of another sample rate. Both count from the
/// recording's start, which is the same number in both.
///
/// - Thread: any. A value.
struct RecordingTime: Sendable {
    /// The place of the recording's first frame.
    let start: Int64
    /// The sample rates, in hertz: of the graph, and of the recording.
    let graphRate: Int
    let sampleRate: Int

    /// Beyond every place of a recording, so that no sum overflows.
    private static let placeLimit: Int64 = 1 << 61

    /// The nearest place to a position of the graph. Each is computed from the start, so that no error adds up over days.
    func place(of position: Int64) -> Int64 {
        // `.min` stands for no place at all.
        guard graphRate > 0, graphRate != sampleRate, position != .min else { return position }
        let distance = Self.scale(position &- start, by: sampleRate, over: graphRate)
        return start &+ min(max(distance, -Self.placeLimit), Self.placeLimit)
    }

    /// The nearest length to a number of the graph's frames.
    func frames(_ count: Int) -> Int {
        guard graphRate > 0, graphRate != sampleRate else { return count }
        return Int(Self.scale(Int64(count), by: sampleRate, over: graphRate))
    }

    /// By how many frames two computed places may differ that are one: a block's position is that of the nearest frame of the
    /// graph, and both places are rounded.
    var rounding: Int {
        guard graphRate > 0, graphRate != sampleRate else { return 0 }
        return 1 + (sampleRate + 2 * graphRate - 1) / (2 * graphRate)
    }

    private static func scale(_ value: Int64, by numerator: Int, over denominator: Int) -> Int64 {
        let doubled = 2 * Int128(value) * Int128(numerator) + Int128(denominator)
        let (quotient, remainder) = doubled.quotientAndRemainder(dividingBy: 2 * Int128(denominator))
        return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
    }
}
