// SPDX-License-Identifier: MIT

/// How far a ``Capture`` has come, whether its blocks were read or not. Positions are in the app's time, in frames.
///
/// All blocks up to there can be read once the value was.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct CaptureProgress: Sendable, Hashable {
    /// The position at which the oldest sound of the first cycle was made.
    public let start: Int64
    /// The position of the first cycle.
    public let firstCycle: Int64
    /// The sample rate of the first cycle, in hertz.
    public let firstSampleRate: Int
    /// The end of the newest cycle.
    public let cycleEnd: Int64
    /// The position up to which every connected source has handed over its sound.
    public let completeEnd: Int64
    /// The end of the newest sound.
    public let newestEnd: Int64
    /// The sample rate of the newest cycle, in hertz.
    public let sampleRate: Int

    init(_ progress: StreamProgress) {
        start = progress.firstPlace
        firstCycle = progress.firstArrival
        firstSampleRate = progress.firstSampleRate
        cycleEnd = progress.arrivalEnd
        completeEnd = progress.completeEnd
        newestEnd = progress.newestEnd
        sampleRate = progress.sampleRate
    }
}
