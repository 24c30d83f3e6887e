// SPDX-License-Identifier: MIT

/// One graph cycle in a process block.
///
/// - Thread: audio. A value; it may be kept.
/// - Realtime: safe.
public struct AudioCycle: Sendable, Hashable {
    // In the order of the C fields, and packed: a cycle is copied for each call of a block.

    /// Position of the first frame in the app's time, in frames.
    ///
    /// All blocks of the app have one position in a cycle. It never decreases while the client lives, also when another
    /// device takes over, the sample rate changes or the daemon is restarted:
    ///
    /// | | the position |
    /// | --- | --- |
    /// | the graph runs without an xrun | grows by ``frameCount`` |
    /// | ``clock`` is the same | is PipeWire's plus a constant |
    /// | ``clock`` is the client's first one | is PipeWire's, and so equal in all apps |
    /// | ``clock`` is another one | goes on after the last cycle by the time that passed meanwhile (CLOCK_MONOTONIC) |
    /// | PipeWire gives a late app one cycle twice | is repeated, and is the same time again |
    ///
    /// If PipeWire is configured to process the app's ports by several threads, positions of two threads' ports may differ
    /// by some cycles after a change of clock.
    public let position: UInt64
    /// The time at which the cycle started. In a port that was made with `blockSize:` it is the time of the first frame.
    public let startTime: MonotonicTime
    @usableFromInline let frames: UInt32
    @usableFromInline let rate: UInt32
    /// The clock of ``position``. It changes when another device drives the graph, when that stood still, with the sample
    /// rate, and with the daemon.
    public let clock: GraphClock
    /// Whether the graph runs as fast as it can instead of in real time.
    public let isFreewheeling: Bool
    /// Whether this cycle does not continue the block's last one.
    ///
    /// It is true in these cases:
    ///
    /// - the first cycle, and the first one after a time without a connection;
    /// - PipeWire paused the port, because all of its peers were paused;
    /// - frames were missed (an xrun);
    /// - ``clock`` changed, as it does with the sample rate;
    /// - the computer slept, which the block may be told one or two cycles after it runs again;
    /// - the block was held up in its last cycle for so long that the graph went on meanwhile. The sound of that cycle
    ///   may then be partly of this one.
    public private(set) var isDiscontinuous: Bool
    /// Number of frames that the connected port missed since the block's last call (an xrun). A time in which PipeWire
    /// paused the port, because all of its peers were paused, does not count.
    public let missedFrames: Int
    private let status: PortStatus
    private let xruns: UInt32
    /// The load of this port up to its last cycle; see ``LocalPort/load``. Zero in
    /// ``BusClient/beforeCycle(state:process:)``, which has no port.
    public let load: PortLoad

    /// Number of xruns of this port since it was made; see ``LocalPort/xrunCount``. 0 in
    /// ``BusClient/beforeCycle(state:process:)``.
    public var xrunCount: Int {
        @_noLocks @inline(__always) get { Int(truncatingIfNeeded: xruns) }
    }
    /// Whether this port had an xrun less than a second ago, by ``position``: true from the first cycle after the missed
    /// frames on. Always false in ``BusClient/beforeCycle(state:process:)``.
    public var isRecoveringFromXrun: Bool {
        @_noLocks @inline(__always) get { status.has(.isRecovering) }
    }

    /// Number of frames to process: 1…8192. It may differ from cycle to cycle, and need not be a power of two. In a port that was
    /// made with `blockSize:` it is that size, in every call.
    public var frameCount: Int {
        @_noLocks @inlinable @inline(__always) get { Int(truncatingIfNeeded: frames) }
    }
    /// The sample rate, in hertz. It may change between cycles.
    public var sampleRate: Int {
        @_noLocks @inlinable @inline(__always) get { Int(truncatingIfNeeded: rate) }
    }
    /// Whether this port has a connection, on either side.
    ///
    /// | block of | value |
    /// | --- | --- |
    /// | a sender, a filter | true: the block is called only while the port has a destination |
    /// | a receiver | false while the rest of a disconnected source's sound still comes out |
    /// | a port that was added with `keepsRunning` | false while it has no connection |
    /// | ``BusClient/beforeCycle(state:process:)`` | false: the block has no port |
    ///
    /// When a connection is made or removed in the middle of a cycle, the value may change one cycle later than the
    /// sound.
    public var isConnected: Bool {
        @_noLocks @inline(__always) get { status.has(.isConnected) }
    }
    /// Whether every output channel of this port has a link.
    ///
    /// Channels are linked one after the other. A sender whose sound has a beginning waits for this value, or the
    /// beginning is lost on some channels. The destination may hear a new link a few cycles later. Always false at a
    /// receiver, which has no outputs, and in ``BusClient/beforeCycle(state:process:)``.
    public var isFullyConnected: Bool {
        @_noLocks @inline(__always) get { status.has(.isFullyConnected) }
    }
    /// Whether this port's sound comes back to its app, or its input came from its app, directly or through PipeBus
    /// filters.
    ///
    /// Do not send sound made of the app's own sound, or acoustic or digital feedback may build up. Always false in
    /// ``BusClient/beforeCycle(state:process:)``.
    public var isConnectedToSelf: Bool {
        @_noLocks @inline(__always) get { status.has(.isConnectedToSelf) }
    }
    /// Whether the port's sound is known to be played downstream, so that the app should mute its own output of it.
    ///
    /// The port must go on sending. Always false at a receiver, whose sound goes into its app alone, and in
    /// ``BusClient/beforeCycle(state:process:)``. See ``PortState/isPlayed``.
    public var shouldMuteLocalOutput: Bool {
        @_noLocks @inline(__always) get { status.has(.shouldMuteLocalOutput) }
    }

    /// Marks the cycle as discontinuous, whatever the graph did.
    @_noLocks
    mutating func markDiscontinuous() { isDiscontinuous = true }

    /// The largest number of frames in a graph cycle.
    public static var maximumFrameCount: Int { @_noLocks get { 8192 } }

    @_noLocks
    @inline(__always)
    init(
        _ cycle: GraphCycle, at moment: GraphMoment, missedFrames: Int, isDiscontinuous: Bool, status: PortStatus,
        load: PortLoad, xrunCount: UInt32
    ) {
        position = moment.position
        startTime = MonotonicTime(nanoseconds: cycle.nanoseconds)
        frames = cycle.frames
        rate = cycle.rate
        clock = GraphClock(number: moment.clock)
        isFreewheeling = cycle.isFreewheeling
        self.isDiscontinuous = isDiscontinuous
        self.missedFrames = missedFrames
        self.status = status
        self.load = load
        xruns = xrunCount
    }

    /// The call of a block that has another number of frames than the graph cycle.
    ///
    /// - Parameters:
    ///   - position: that of the block's first frame, and so is `startTime`.
    @_noLocks
    init(
        _ cycle: AudioCycle, position: UInt64, startTime: MonotonicTime, frameCount: Int, missedFrames: Int,
        isDiscontinuous: Bool
    ) {
        self.position = position
        self.startTime = startTime
        frames = UInt32(truncatingIfNeeded: frameCount)
        rate = cycle.rate
        clock = cycle.clock
        isFreewheeling = cycle.isFreewheeling
        self.isDiscontinuous = isDiscontinuous
        self.missedFrames = missedFrames
        status = cycle.status
        load = cycle.load
        xruns = cycle.xruns
    }

    /// The time of one of the cycle's frames, or of a later one.
    @_noLocks
    func time(ofFrame frame: Int) -> MonotonicTime {
        // A driver that does not say when its cycles start leaves 0.
        let start = startTime.nanoseconds
        guard start > 0, rate > 0 else { return startTime }
        return MonotonicTime(
            nanoseconds: start &+ UInt64(truncatingIfNeeded: frame) &* 1_000_000_000 / UInt64(truncatingIfNeeded: rate))
    }
}
