// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// Reads a receiver's sound in blocks of any size, at the pace of a thread of the app's own: a looper, a sound card that the app
/// drives, the callback of another framework.
///
/// ```swift
/// let input = try await bus.receiver("in")
/// Thread.detachNewThread {  // of Foundation
///     guard var reader = try? input.makeReader() else { return }
///     var samples = [Float](repeating: 0, count: 2 * 512)
///     var span = samples.mutableSpan
///     while isRunning { let result = reader.read(into: &span)  /* … */ }
/// }
/// ```
///
/// A read always gives exactly the frames that it is asked for, at once. So the reader stays behind the graph, by the longest of
/// a cycle and a block and one cycle more (``latency``). Silence is given where there is no sound:
///
/// | when | silence | count |
/// | --- | --- | --- |
/// | nothing is connected, or the daemon is away | until it is connected | none |
/// | the app or a source missed cycles (an xrun) | in their place | none: the receiver's ``LocalPort/xruns``; `lateFrames` if the app asks before the next cycle |
/// | sound has not come in time | in its place; the sound is left out when it comes | `lateFrames`, `discardedFrames` |
/// | that happens twice within a second | once more, and the reader stays further behind | `lateFrames` |
/// | a cycle or a block becomes longer | as long as the difference | `lateFrames` |
/// | more sound waits than the latency for a second (a tenth after the app has not read for a while, unless it catches up), or half a second more than came while it did not read | none: the rest is left out | `discardedFrames` |
/// | the graph's sample rate changes | until sound of the new rate has come; what waits is left out | `discardedFrames` |
/// | the app has not read for longer than the memory holds | in place of what was dropped, if the app catches up | `discardedFrames` |
///
/// Sound that is cut off decays, and begins with a fade-in, as the receiver's ``Fade`` says. A resampler that begins anew clicks all
/// the same, where the graph's rate changes and at ``setFormat(_:)``. All counts are in ``statistics``.
///
/// The time of what was read (``ReadResult/timestamp``) is that at which it was made. A mix that is not aligned
/// (``Alignment/immediate``) has the cycle's own time, since its sources have several: each was made earlier by its latency.
///
/// Of a receiver of separate streams each lane is read by itself, all for one interval, which ``endInterval()`` ends.
///
/// The app reads at the graph's pace, or says that it has a clock of its own (`hasOwnClock:`), such as a second sound card: then a
/// resampler follows it.
///
/// - Thread: any, one at a time. Release it on a thread that may wait.
/// - Realtime: safe.
@safe public struct Reader: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it. The port and the memory are only kept alive: a class in a struct is not touched in calls
    // that are safe.
    /// The receiver.
    public let port: ReceiverPort
    private let memory: ReaderMemory
    private let core: Cell<ReaderCore>
    private var output: ReaderOutput
    /// Whether the app reads at the pace of a clock of its own.
    public let hasOwnClock: Bool
    private let isSeparate: Bool
    private let laneCount: Int
    /// The time of the next calls, in tests whose time is not the computer's.
    package var timeOfCalls: MonotonicTime? {
        get { output.timeOfCalls }
        set { output.timeOfCalls = newValue }
    }

    init(_ memory: ReaderMemory, of port: ReceiverPort, format: StreamFormat, hasOwnClock: Bool) {
        self.port = port
        self.memory = memory
        core = memory.core
        self.hasOwnClock = hasOwnClock
        // That of the sound, or the announced one before the first cycle.
        let (known, announced) = (port.memory.sampleRate, port.handle.cells.sampleRate)
        output = ReaderOutput(
            format, memory: memory, graphRate: known > 0 ? known : announced, hasOwnClock: hasOwnClock)
        isSeparate = port.isSeparate
        laneCount = memory.stream.laneCount
    }

    /// The form of the samples.
    public var format: StreamFormat {
        @_noLocks get { output.format }
    }

    /// Number of channels that are read.
    public var channelCount: Int {
        @_noLocks get { output.channelCount }
    }

    /// Changes the form of the samples. Where both formats have the graph's rate, the sound goes on. Otherwise it begins again, at the
    /// right distance from the graph, and what a resampler held back, about a millisecond, is left out and counted. What
    /// waits of a connection that has ended is left out too. A resampler that begins so clicks: a constant sound of 0.5 steps by up to 0.09.
    ///
    /// The memory stays that of the format with which the reader was made, for blocks of 10 000 of its frames. At a lower rate a block of as
    /// many frames is longer, and parts of it may be silent and left out.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument`.
    /// - Realtime: unsafe.
    public mutating func setFormat(_ format: StreamFormat) throws {
        try format.check(hasOwnClock: hasOwnClock)
        let wasResampling = output.isResampling
        core.value.statistics.leaveOut(output.heldFrames)
        output = ReaderOutput(
            format, memory: memory, graphRate: core.value.presentRate, hasOwnClock: hasOwnClock)
        if wasResampling || output.isResampling { core.value.restart() }
    }

    // MARK: The mix

    /// Reads 32-bit floats of the mix.
    ///
    /// - Parameters:
    ///   - samples: filled, whatever comes: whole frames of all channels, in the format's order.
    ///   - time: that of the request; `nil`: now. While nothing is connected, the timestamp follows from it.
    @_noLocks
    public mutating func read(into samples: inout MutableSpan<Float>, at time: MonotonicTime? = nil) -> ReadResult {
        checkIsMixed()
        let result = read(into: &samples, lane: 0, at: time)
        output.endInterval(of: core)
        return result
    }

    /// Reads samples of the mix in any format, as bytes.
    ///
    /// - Parameter bytes: filled, whatever comes: whole frames of all channels, in the format's order.
    @_noLocks
    public mutating func read(into bytes: inout MutableSpan<UInt8>, at time: MonotonicTime? = nil) -> ReadResult {
        checkIsMixed()
        let result = read(into: &bytes, lane: 0, at: time)
        output.endInterval(of: core)
        return result
    }

    /// Reads frames of the mix into memory of the reader's own.
    ///
    /// - Parameters:
    ///   - frameCount: 0…16 384, in the format's rate.
    ///   - time: that of the request; `nil`: now.
    /// - Returns: the sound, valid until the next call.
    @_noLocks
    @_lifetime(&self)
    public mutating func read(_ frameCount: Int, at time: MonotonicTime? = nil) -> ReadBlock {
        checkIsMixed()
        let result = readBlock(frameCount, lane: 0, at: time)
        output.endInterval(of: core)
        return block(result)
    }

    /// Reads frames of the mix for nobody.
    ///
    /// - Parameters:
    ///   - frameCount: 0…2^24, in the format's rate.
    ///   - time: that of the request; `nil`: now.
    @_noLocks
    public mutating func discard(_ frameCount: Int, at time: MonotonicTime? = nil) -> ReadResult {
        checkIsMixed()
        precondition(frameCount >= 0 && frameCount <= 1 << 24, "0 to 2^24 frames are left out at once")
        let result = output.discard(frameCount, lane: 0, of: core, at: time)
        output.endInterval(of: core)
        return result
    }

    // MARK: Separate sources

    /// Reads 32-bit floats of one lane of a receiver of separate streams: the next of the interval.
    ///
    /// - Parameters:
    ///   - samples: filled, whatever comes: whole frames of all channels, in the format's order. A lane without a source is silent.
    ///   - lane: a ``Source/lane``.
    ///   - time: that of the request; `nil`: now.
    @_noLocks
    public mutating func read(
        into samples: inout MutableSpan<Float>, lane: Int, at time: MonotonicTime? = nil
    ) -> ReadResult {
        check(lane)
        let isFloat = output.isFloat
        precondition(isFloat, "the format has other samples; read its bytes")
        let (count, channels) = (samples.count, channelCount)
        precondition(count % channels == 0, "a read takes whole frames")
        let base = unsafe samples.withUnsafeMutableBufferPointer { UnsafeMutableRawPointer($0.baseAddress) }
        guard let base = unsafe base else { return output.discard(0, lane: lane, of: core, at: time) }
        return unsafe output.read(count / channels, lane: lane, of: core, into: base, at: time)
    }

    /// Reads samples of one lane of a receiver of separate streams in any format, as bytes.
    ///
    /// - Parameters:
    ///   - bytes: filled, whatever comes: whole frames of all channels, in the format's order.
    ///   - lane: a ``Source/lane``.
    ///   - time: that of the request; `nil`: now.
    @_noLocks
    public mutating func read(
        into bytes: inout MutableSpan<UInt8>, lane: Int, at time: MonotonicTime? = nil
    ) -> ReadResult {
        check(lane)
        let (count, size) = (bytes.count, output.bytesPerFrame)
        precondition(count % size == 0, "a read takes whole frames")
        let base = unsafe bytes.withUnsafeMutableBufferPointer { UnsafeMutableRawPointer($0.baseAddress) }
        guard let base = unsafe base else { return output.discard(0, lane: lane, of: core, at: time) }
        return unsafe output.read(count / size, lane: lane, of: core, into: base, at: time)
    }

    /// Reads frames of one lane of a receiver of separate streams into memory of the reader's own.
    ///
    /// - Parameters:
    ///   - frameCount: 0…16 384, in the format's rate.
    ///   - lane: a ``Source/lane``.
    ///   - time: that of the request; `nil`: now.
    /// - Returns: the sound, valid until the next call.
    @_noLocks
    @_lifetime(&self)
    public mutating func read(_ frameCount: Int, lane: Int, at time: MonotonicTime? = nil) -> ReadBlock {
        check(lane)
        return block(readBlock(frameCount, lane: lane, at: time))
    }

    @_noLocks
    private mutating func readBlock(_ frameCount: Int, lane: Int, at time: MonotonicTime?) -> ReadResult {
        precondition(
            frameCount >= 0 && frameCount <= ReaderOutput.longestBlock, "0 to 16384 frames are read at once")
        return unsafe output.read(frameCount, lane: lane, of: core, into: output.blockMemory, at: time)
    }

    @_noLocks
    @_lifetime(&self)
    private mutating func block(_ result: ReadResult) -> ReadBlock {
        let block = unsafe ReadBlock(
            output.blockMemory, isFloat: output.isFloat, isInterleaved: output.format.isInterleaved,
            bytesPerSample: output.bytesPerFrame / channelCount,
            channelCount: channelCount, result: result)
        return unsafe _overrideLifetime(block, mutating: &self)
    }

    /// Ends an interval of a receiver of separate streams: the next reads of all lanes are of the same time again.
    ///
    /// The interval is as long as the most that was read of a lane in it. What was not read of the others is left out.
    @_noLocks
    public mutating func endInterval() { output.endInterval(of: core) }

    // MARK: State

    /// Counts since the reader was made.
    public var statistics: ReaderStatistics {
        @_noLocks get { core.value.statistics }
    }

    /// The age of the sound when it is read: that of the receiver (``ReceiverPort/latency``), the reader's distance from the
    /// graph, and the delay of a resampler.
    ///
    /// - Realtime: unsafe; a ``ReadResult/timestamp`` is safe.
    public var latency: Latency {
        let frames = port.latency.frames + output.distance(of: core) + output.delay
        return Latency(frames: frames, sampleRate: core.value.presentRate)
    }

    /// Whether the sound is as far behind the graph as ``latency`` says, to 3 ms. An app with a clock of its own has that within
    /// two seconds of sound, mostly at once; for others it is always true.
    public var isLocked: Bool {
        @_noLocks get { output.isLocked }
    }

    @_noLocks
    private func checkIsMixed() {
        let isSeparate = isSeparate
        precondition(!isSeparate, "each lane of a receiver of separate streams is read by itself")
    }

    @_noLocks
    private func check(_ lane: Int) {
        let lanes = laneCount
        precondition(lane >= 0 && lane < lanes, "no such lane")
    }
}
