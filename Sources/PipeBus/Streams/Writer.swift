// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Writes the sound of a sender from a thread of the app's own, in blocks of any size: a file player, a network stream, another
/// framework's callback.
///
/// ```swift
/// let output = try await bus.sender("out")
/// var writer = try await output.makeWriter(format: StreamFormat(.float32, sampleRate: 44_100))
/// while let block = file.next() { try await writer.write(block) }
/// try await writer.finish()
/// ```
///
/// What is written goes into a buffer, and from there into the graph, in order and without a gap. ``tryWrite(_:madeAt:)`` takes as
/// much as there is room for, and says how much; `write` waits for room.
///
/// | when | what happens |
/// | --- | --- |
/// | nothing was written for a while: the sound has run out (an underrun) | the last sound decays into silence, and goes on with a fade-in, as below; ``statistics`` count it |
/// | nothing is connected, or the daemon is away | the buffer stays full, and nothing more is taken; live sound is dropped |
/// | the format has a rate of its own, and the graph's is not known: no daemon was ever there | nothing is taken |
/// | the port is closed | nothing is taken any more |
///
/// Sound that begins, at first and after it has run out, waits until a block and a cycle are there, or for their time. A block is the
/// longest write since the sound ran out; one of more than 20 ms is waited for as one of 20 ms.
///
/// A writer of **live** sound (`liveLatency:`) is told with each write when the sound was made. Every frame leaves when it has the
/// age that was promised, and that is the port's published latency. Sound that comes too late is dropped, so that the latency
/// stays. For an app with a clock of its own (`hasOwnClock:`), such as a second sound card, a resampler follows that clock.
///
/// A writer that is released is not waited for: what it has taken is still played, unless another writer is made before. Then its sound
/// decays over 5 ms.
///
/// - Thread: any, one at a time. Release it on a thread that may wait.
/// - Realtime: safe, but for calls that wait.
@safe public struct Writer: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it. The port and the memory are only kept alive: a class in a struct is not touched in calls
    // that are safe.
    /// The sender.
    public let port: SenderPort
    private let memory: WriterMemory
    private let core: Cell<PortCore>
    private let ring: Cell<WriterRing>
    private(set) var input: WriterInput
    private var times: EventQueue<WriterStamp>.Writer
    private var played: TripleBuffer<PlayedMoment>.Reader
    /// The age at which live sound leaves, in frames of the graph.
    private let liveLatency: Int?
    /// Whether the app writes at the pace of a clock of its own.
    public let hasOwnClock: Bool
    /// The time of the next calls, in tests whose time is not the computer's.
    package var timeOfCalls: MonotonicTime?
    private var writtenFrames: UInt64 = 0

    init(_ memory: WriterMemory, of port: SenderPort, format: StreamFormat, liveLatency: Int?, hasOwnClock: Bool) {
        self.port = port
        self.memory = memory
        core = port.handle.cells.core
        ring = memory.ring
        input = WriterInput(
            format, memory: memory, graphRate: port.handle.cells.sampleRate,
            ownClockLatency: hasOwnClock ? liveLatency : nil)
        times = memory.times.makeWriter()
        played = memory.played
        self.liveLatency = liveLatency
        self.hasOwnClock = hasOwnClock
    }

    deinit {
        let ring = ring
        // `finish` has given what a resampler holds back.
        let givesRest = !ring.value.isEnded && isRestHeard
        var input = input
        if givesRest { _ = input.giveRest(into: ring) }
        ring.value.end()
    }

    /// The form of the samples.
    public var format: StreamFormat {
        @_noLocks get { input.format }
    }

    /// Number of channels that are written.
    public var channelCount: Int {
        @_noLocks get { input.channelCount }
    }

    /// Changes the form of the samples that are written from now on.
    ///
    /// What a resampler holds back is given first, also into a full buffer. So the frames of each format take their own time, rounded
    /// up to a frame of the graph, and nothing is lost. The resamplers of both formats go over the change as if the sound went on: they
    /// are given frames that are predicted from the old sound, or computed from it.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument`.
    /// - Realtime: unsafe.
    public mutating func setFormat(_ format: StreamFormat) throws {
        try format.check(hasOwnClock: hasOwnClock)
        countRest(input.follow(graphRate, ring))
        countRest(input.giveRest(into: ring))
        let (hasBegun, isFirstAtRate) = (input.hasBegun, input.isFirstAtRate)
        input = WriterInput(
            format, memory: memory, graphRate: graphRate, ownClockLatency: hasOwnClock ? liveLatency : nil,
            gapFrames: input.gapFrames)
        input.isFirstAtRate = isFirstAtRate
        if hasBegun { input.goOn(after: ring) }
    }

    /// Counts what a resampler has held back.
    @_noLocks
    private mutating func countRest(_ rest: (given: Int, dropped: Int)) {
        writtenFrames &+= UInt64(truncatingIfNeeded: rest.given &+ rest.dropped)
        ring.value.countDropped(rest.dropped)
    }

    private var isLive: Bool { @_noLocks get { liveLatency != nil } }

    /// Whether what is written now is heard: of live sound nothing is while nothing is connected.
    private var isHeard: Bool { @_noLocks get { !isLive || core.value.loadStatus().has(.isConnected) } }

    /// Whether the end of the sound is heard, which a resampler holds back. Without a connection it is not, if all before it was played:
    /// it would be a click in the next one.
    private var isRestHeard: Bool {
        if core.value.loadStatus().has(.isConnected) { return true }
        return !isLive && (!ring.value.isEmpty || ring.value.writePosition == 0)
    }

    /// Number of frames that are taken now, in the format's rate; with a resampler about.
    public var writableFrames: Int {
        @_noLocks get { takesSound ? input.toClient(ring.value.writableFrames) : 0 }
    }

    /// Whether the port is open, and it is known to which rate to convert.
    private var takesSound: Bool {
        @_noLocks get {
            if ring.value.isClosed { return false }
            return input.format.sampleRate == nil || isLive || graphRate > 0
        }
    }

    /// The graph's sample rate, in hertz: of the port's last cycle, or announced for its next one; 0 while neither is known.
    var graphRate: Int { @_noLocks get { core.value.sampleRate.load(ordering: .relaxed) } }

    // MARK: Writing

    /// Writes 32-bit floats: as many frames as there is room for.
    ///
    /// - Parameters:
    ///   - samples: whole frames of all channels, in the format's order.
    ///   - offset: number of frames of them that are left out at the beginning of each channel, such as those that were taken before.
    ///   - time: when the first of the others was made, for live sound; now by default. Without effect otherwise.
    /// - Returns: the number of frames that were taken. Offer the others again, with another offset.
    @_noLocks
    public mutating func tryWrite(
        _ samples: Span<Float>, from offset: Int = 0, madeAt time: MonotonicTime = .now
    ) -> Int {
        let isFloat = input.isFloat
        precondition(isFloat, "the format has other samples; write their bytes")
        let (count, channels) = (samples.count, channelCount)
        precondition(count % channels == 0, "a write takes whole frames")
        let base = unsafe samples.withUnsafeBufferPointer { unsafe UnsafeRawPointer($0.baseAddress) }
        guard let base = unsafe base else { return 0 }
        return unsafe tryWrite(base, count / channels, from: offset, madeAt: time)
    }

    /// Writes samples of any format, as bytes: as many frames as there is room for.
    ///
    /// - Parameters:
    ///   - bytes: whole frames of all channels, in the format's order.
    ///   - offset: number of frames of them that are left out at the beginning of each channel, such as those that were taken before.
    ///   - time: when the first of the others was made, for live sound; now by default. Without effect otherwise.
    /// - Returns: the number of frames that were taken. Offer the others again, with another offset.
    @_noLocks
    public mutating func tryWrite(
        _ bytes: Span<UInt8>, from offset: Int = 0, madeAt time: MonotonicTime = .now
    ) -> Int {
        let (count, size) = (bytes.count, input.bytesPerFrame)
        precondition(count % size == 0, "a write takes whole frames")
        let base = unsafe bytes.withUnsafeBufferPointer { unsafe UnsafeRawPointer($0.baseAddress) }
        guard let base = unsafe base else { return 0 }
        return unsafe tryWrite(base, count / size, from: offset, madeAt: time)
    }

    /// - Parameters:
    ///   - memory: all channels of `count` frames.
    ///   - offset: number of frames that were taken before.
    ///   - time: when the first of the others was made.
    @_noLocks
    mutating func tryWrite(
        _ memory: UnsafeRawPointer, _ count: Int, from offset: Int, madeAt time: MonotonicTime
    ) -> Int {
        precondition(offset >= 0 && offset <= count, "a write begins within its frames")
        let frames = count &- offset
        guard frames > 0, takesSound else { return 0 }
        countRest(input.follow(graphRate, ring))
        let start = ring.value.writePosition
        if isLive {
            if !isHeard {
                // Nobody hears it, and it would be old when somebody does.
                input.pass(frames)
                let unheard = input.countUnheard(frames)
                writtenFrames &+= UInt64(truncatingIfNeeded: unheard)
                ring.value.countDropped(unheard)
                return frames
            }
            guard ring.value.writableFrames > 0, times.writableEvents > 0 else { return 0 }
            played.take()
            _ = times.trySend(input.stamp(played.value, at: start, time, called: timeOfCalls))
        }
        ring.value.note(writing: min(input.toGraph(frames), ring.value.writableFrames))
        let taken = unsafe input.write(memory, count, from: offset, into: ring)
        if isLive { input.pass(taken) }
        let written = ring.value.writePosition &- start
        writtenFrames &+= UInt64(truncatingIfNeeded: written)
        return taken
    }

    /// Waits until everything that was written is played. Without a connection that is never: cancel the task.
    ///
    /// The next writer of the port may be made meanwhile. Then this one returns: what it has not played is dropped.
    ///
    /// - Throws: ``PipeBusError`` `closed` if the port is closed before, `CancellationError` if the task is cancelled.
    /// - Realtime: unsafe.
    public consuming func finish() async throws {
        // The last frame is followed by those that are predicted, so the sound decays as without a resampler.
        if isRestHeard { countRest(input.giveRest(into: ring)) }
        ring.value.end()
        while !ring.value.isEmpty && !ring.value.isReplaced { try await waitForRoom() }
    }

    func waitForRoom() async throws {
        if ring.value.isClosed { throw PipeBusError(.closed, "The port \"\(Names.shown(port.name))\" is closed.") }
        // The audio thread wakes no other thread, which would take a system call.
        try await Task.sleep(for: .milliseconds(5))
    }

    // MARK: State

    /// How much later the next frame leaves than it is written: the age that was promised of live sound, else the time of what
    /// waits in the buffer and of the delay of a resampler. The time for which a sound waits to begin is not in it.
    ///
    /// - Realtime: unsafe.
    public var latency: Latency {
        Latency(frames: liveLatency ?? ring.value.waitingFrames + input.delay, sampleRate: graphRate)
    }

    /// When the next frame that is written leaves the port, exact to the frame.
    ///
    /// It is in the app's time, as ``ReadResult/timestamp`` is. So an app that records and plays at once, such as a looper, knows by how
    /// much what it writes is heard later than what it reads was made:
    ///
    /// ```swift
    /// let made = reader.read(into: &samples)
    /// if made.hasSound, let heard = writer.nextTimestamp { delay = heard.position - made.timestamp.position }
    /// ```
    ///
    /// It holds if no cycle is missed (an xrun) and the sound does not run out before; otherwise the frame leaves later. With a
    /// resampler it is the time of the nearest frame of the graph.
    ///
    /// It is `nil` in these cases:
    ///
    /// - before the first cycle in which sound left, and again after each time without a connection;
    /// - the sound has run out, and has not gone on yet;
    /// - the writer is one of live sound, whose frames leave when they have their age;
    /// - the port is closed.
    ///
    /// - Thread: the writer's.
    /// - Realtime: safe.
    public var nextTimestamp: Timestamp? {
        @_noLocks mutating get {
            guard !isLive, !ring.value.isClosed, core.value.loadStatus().has(.isConnected) else { return nil }
            played.take()
            let moment = played.value
            guard moment.goesOn, moment.connectionEpoch == core.value.connectionEpoch.load(ordering: .relaxed) else {
                return nil
            }
            return moment.timestamp(after: Double(ring.value.writePosition &- moment.position) + input.lead)
        }
    }

    /// Whether live sound leaves when it has its age, to 3 ms. An app with a clock of its own has that within two seconds of
    /// sound, mostly at once; for others it is always true.
    public var isLocked: Bool {
        @_noLocks get { input.isLocked }
    }

    /// Counts since the writer was made.
    public var statistics: WriterStatistics {
        @_noLocks get {
            let counts = ring.value.counts
            return WriterStatistics(
                writtenFrames: writtenFrames, droppedFrames: counts.dropped, underruns: counts.underruns,
                underrunFrames: counts.underrunFrames)
        }
    }
}
