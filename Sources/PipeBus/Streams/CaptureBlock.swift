// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Sound of one graph cycle from a ``Capture``: of one source, or of the mix.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct CaptureBlock: Sendable {
    /// The lane of the source, from 0; 0 in a mix.
    public let lane: Int
    /// The source's port in the graph; `nil` in a mix.
    public let source: GraphPort.ID?
    /// The number of the source on its lane: ``Source/sourceGeneration``. Another number is another source, or the same one
    /// after a reconnection. 1 in a mix.
    public let sourceGeneration: UInt64
    /// The app's number for the source, set with ``ReceiverPort/setTag(_:for:)``; 0 by default and in a mix.
    public let tag: UInt64
    /// The time at which the first frame was made. All latency is already subtracted.
    public let timestamp: Timestamp
    /// The age of the sound when the receiver had it. ``timestamp`` plus this age is the time at which it came.
    public let age: Latency
    /// Number of frames: 1…8192; 0 for the last block of a lane, if it only reports ``droppedFrames``.
    public let frameCount: Int
    /// Number of channels: 1 for a mono source, else the receiver's.
    public let channelCount: Int
    /// The graph's sample rate, in hertz. It may change from one block to another.
    public let sampleRate: Int
    /// The clock of the timestamp's position.
    public let clock: GraphClock
    /// Whether the block follows the last one of its source without a missed or dropped frame, and the receiver was not
    /// unconnected in between. If their timestamps leave a gap all the same, the source's latency has changed.
    public let isContinuation: Bool
    /// Number of frames between the source's last block and this one that the app or the source missed (an xrun).
    public let missedFrames: Int
    /// Number of frames between the source's last block and this one that were dropped, because the capture was full.
    public let droppedFrames: Int
    /// The samples, one channel after the other.
    private let samples: [Float]

    init(_ record: StreamRecord, lane: Int, samples: [Float]) {
        self.lane = lane
        source = record.source == 0 ? nil : GraphPort.ID(serial: record.source)
        sourceGeneration = record.generation
        tag = record.tag
        timestamp = Timestamp(
            arrival: record.arrival, nanoseconds: record.nanoseconds, sampleRate: record.sampleRate, age: record.age)
        age = Latency(frames: record.age, sampleRate: record.sampleRate)
        frameCount = record.frameCount
        channelCount = record.channelCount
        sampleRate = record.sampleRate
        clock = GraphClock(number: record.clock)
        isContinuation = record.isContinuation
        missedFrames = record.missedFrames
        droppedFrames = record.droppedFrames
        self.samples = samples
    }

    /// The samples of one channel, 0..<``channelCount``. Full scale is −1…1.
    public subscript(channel: Int) -> ArraySlice<Float> {
        precondition(channel >= 0 && channel < channelCount, "no such channel of the block")
        return samples[(channel * frameCount)..<((channel + 1) * frameCount)]
    }

    /// The samples frame by frame: left, right, left, right, …
    public var interleaved: [Float] {
        guard channelCount > 1 else { return samples }
        var result = samples
        for channel in 0..<channelCount {
            for frame in 0..<frameCount {
                result[frame * channelCount + channel] = samples[channel * frameCount + frame]
            }
        }
        return result
    }
}
