// SPDX-License-Identifier: MIT
import CRealtime

/// The time of an xrun's missed frames, on CLOCK_MONOTONIC in nanoseconds. Pure.
struct XrunGap: Sendable, Equatable {
    /// The time from the last cycle before the xrun to the first one after it.
    let time: ClosedRange<UInt64>
    /// Whether the port's own callback took longer than its cycle just before.
    let isOwn: Bool

    /// The time that is added on both sides of a gap: the clocks of cycles jitter, and a report is of the cycle before.
    private static let slack: UInt64 = 50_000_000

    init(_ entry: XrunRing.Entry) {
        let rate = UInt64(max(entry.rate, 1))
        // Frames are clamped by the tracker. A gap of more than a day is one of a day.
        let seconds = min(entry.missedFrames / rate, 86_400)
        let length = seconds * 1_000_000_000 + entry.missedFrames % rate * 1_000_000_000 / rate
        time = entry.nanoseconds - min(length, entry.nanoseconds)...entry.nanoseconds
        isOwn = entry.isOwn
    }

    /// Whether a callback of ours that took too long ended in the gap.
    func overlaps(overrunOf load: crt_load_values) -> Bool {
        load.overruns > 0 && load.overrun_ended >= earliest && load.overrun_begun <= time.upperBound
    }

    /// Whether the gap of another port of ours, by that port's own fault, was at the same time or just before.
    func isExplained(by other: XrunGap) -> Bool {
        other.isOwn && other.time.upperBound >= earliest && other.time.lowerBound <= time.upperBound
    }

    /// Whether a report of this time may be about the gap.
    func contains(_ time: UInt64) -> Bool {
        time >= earliest && (time <= self.time.upperBound || time - self.time.upperBound <= Self.slack)
    }

    private var earliest: UInt64 { time.lowerBound - min(Self.slack, time.lowerBound) }
}
