// SPDX-License-Identifier: MIT
import AudioConversion
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
    /// Number of frames, in the format's rate: 1…8192 unless more were asked for; 0 for the last block of a lane, if it only reports ``droppedFrames``.
    public let frameCount: Int
    /// Number of channels: the format's; if that leaves it open, 1 for a mono source, else the receiver's.
    public let channelCount: Int
    /// The sample rate, in hertz: the format's or the graph's, which may change from one block to another.
    public let sampleRate: Int
    /// The graph's sample rate, in hertz: that of the timestamp's position, of the age, and of missed and dropped frames.
    public let graphSampleRate: Int
    /// The clock of the timestamp's position.
    public let clock: GraphClock
    /// Whether the block follows the last one of its source without a missed or dropped frame, and the receiver was not
    /// unconnected in between. If their timestamps leave a gap all the same, the source's latency has changed.
    public let isContinuation: Bool
    /// Number of frames between the source's last block and this one that the app or the source missed (an xrun), at the
    /// graph's rate. In a mix, those of the source that missed most.
    ///
    /// Of cycles that only a source missed, silence is in the blocks before. A time in which the source's app was paused
    /// counts too.
    public let missedFrames: Int
    /// Number of frames between the source's last block and this one that were dropped, because the capture was full, at the
    /// graph's rate.
    public let droppedFrames: Int
    /// The form of the samples. Floats are in ``subscript(_:)`` by channel and in ``interleaved`` by frame, whichever it says.
    public let format: StreamFormat
    /// The samples of floats, one channel after the other.
    private let samples: [Float]
    /// The samples of integers.
    private let integers: [UInt8]

    /// Creates a block of floats of the graph, or one without frames.
    init(_ record: StreamRecord, lane: Int, format: StreamFormat, samples: [Float]) {
        self.lane = lane
        source = record.source == 0 ? nil : GraphPort.ID(serial: record.source)
        sourceGeneration = record.generation
        tag = record.tag
        timestamp = Timestamp(
            arrival: record.arrival, nanoseconds: record.nanoseconds, sampleRate: record.sampleRate, age: record.age)
        age = Latency(frames: record.age, sampleRate: record.sampleRate)
        frameCount = record.frameCount
        channelCount = format.channelCount ?? record.channelCount
        sampleRate = format.sampleRate ?? record.sampleRate
        graphSampleRate = record.sampleRate
        clock = GraphClock(number: record.clock)
        isContinuation = record.isContinuation
        missedFrames = record.missedFrames
        droppedFrames = record.droppedFrames
        self.format = format
        self.samples = samples
        integers = []
    }

    /// Creates a block of converted sound.
    ///
    /// - Parameters:
    ///   - record: of the frames that went in.
    ///   - lead: by how much these are ahead of the block's first frame, in frames of the graph.
    ///   - bytes: the samples; of floats one channel after the other.
    init(
        _ record: StreamRecord, lane: Int, lead: Double, format: StreamFormat, channelCount: Int, sampleRate: Int,
        frameCount: Int, bytes: [UInt8]
    ) {
        self.lane = lane
        source = record.source == 0 ? nil : GraphPort.ID(serial: record.source)
        sourceGeneration = record.generation
        tag = record.tag
        let timestamp = Timestamp(
            arrival: record.arrival, nanoseconds: record.nanoseconds, sampleRate: record.sampleRate, age: record.age)
        self.timestamp = lead == 0 ? timestamp : timestamp.earlier(by: lead, sampleRate: record.sampleRate)
        age = Latency(frames: record.age + Int(lead.rounded()), sampleRate: record.sampleRate)
        self.frameCount = frameCount
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        graphSampleRate = record.sampleRate
        clock = GraphClock(number: record.clock)
        isContinuation = record.isContinuation
        missedFrames = record.missedFrames
        droppedFrames = record.droppedFrames
        self.format = format
        guard format.sample == .float32 else {
            samples = []
            integers = bytes
            return
        }
        integers = []
        let count = frameCount * channelCount
        samples = unsafe [Float](unsafeUninitializedCapacity: count) { floats, initialized in
            unsafe bytes.withUnsafeBytes { unsafe UnsafeMutableRawBufferPointer(floats).copyMemory(from: $0) }
            initialized = count
        }
    }

    /// The floats of one channel, 0..<``channelCount``. Full scale is −1…1.
    public subscript(channel: Int) -> ArraySlice<Float> {
        precondition(format.sample == .float32, "the format has other samples; read the bytes")
        precondition(channel >= 0 && channel < channelCount, "no such channel of the block")
        return samples[(channel * frameCount)..<((channel + 1) * frameCount)]
    }

    /// The samples of any format as bytes, in its order.
    public var bytes: [UInt8] {
        guard format.sample == .float32 else { return integers }
        return unsafe (format.isInterleaved ? interleaved : samples).withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// The floats frame by frame: left, right, left, right, …
    public var interleaved: [Float] {
        precondition(format.sample == .float32, "the format has other samples; read the bytes")
        guard channelCount > 1 else { return samples }
        return unsafe [Float](unsafeUninitializedCapacity: samples.count) { result, initialized in
            guard let base = result.baseAddress else { return }
            unsafe samples.withUnsafeBufferPointer { samples in
                // Only read.
                let first = unsafe UnsafeMutablePointer(mutating: samples.baseAddress)
                let rows = unsafe (0..<channelCount).map { row in unsafe first.map { unsafe $0 + row * frameCount } }
                unsafe interleave(rows, channelCount: channelCount, frameCount: frameCount, into: base)
            }
            initialized = samples.count
        }
    }
}
