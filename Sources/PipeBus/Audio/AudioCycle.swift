// SPDX-License-Identifier: MIT

/// One graph cycle, as a process block sees it.
///
/// - Thread: audio. A value; it may be kept.
/// - Realtime: safe.
public struct AudioCycle: Sendable, Hashable {
    // In the order in which they come from C, and close together: a cycle is copied for each call of a block.

    /// Position of the first frame on ``clock``, in frames. Grows by ``frameCount`` while the graph runs undisturbed, and
    /// jumps when another device takes over. A position that comes twice is the same time again: PipeWire gives it so to
    /// an app that was late.
    public let position: UInt64
    /// When the cycle started.
    public let startTime: MonotonicTime
    @usableFromInline let frames: UInt32
    @usableFromInline let rate: UInt32
    /// The clock that ``position`` is on. Another one when another device drives the graph.
    public let clock: GraphClock
    /// The graph runs as fast as it can instead of in real time.
    public let isFreewheeling: Bool
    /// This cycle does not continue the last one the block saw: frames were missed, the clock or the rate changed, the
    /// port was not connected in between, or it is the first cycle of all. Also when the computer was held up for so long
    /// in the last one that the graph went on meanwhile: the sound of that one may then be partly of this one.
    public private(set) var isDiscontinuous: Bool
    /// Frames that the graph went on without this port since the block's last call, although it was connected.
    public let missedFrames: Int
    private let status: PortStatus

    /// Frames to process now: 1…8192. It may differ from cycle to cycle, and need not be a power of two.
    public var frameCount: Int {
        @_noLocks @inlinable @inline(__always) get { Int(truncatingIfNeeded: frames) }
    }
    /// In hertz. May change between cycles.
    public var sampleRate: Int {
        @_noLocks @inlinable @inline(__always) get { Int(truncatingIfNeeded: rate) }
    }
    /// Something is connected to this port, on either side. A sender's or a filter's block is called only while it has a
    /// destination, so there it is true. A receiver's is called on for as long as what was cut off last dies away: it is
    /// false then, and the sound is the rest of what was connected. Where something comes or goes in the middle of a cycle
    /// this may change one cycle later than the sound. Always false in
    /// ``BusClient/beforeCycle(state:process:)``, which is of no port.
    public var isConnected: Bool {
        @_noLocks @inline(__always) get { status.has(.isConnected) }
    }
    /// Every output channel of this port has a link. Channels are linked one after the other, so a sender whose sound has
    /// a beginning waits for this, or the beginning is lost on some channels. The far end may hear a new link a few cycles
    /// later. Always false at a receiver, which has no outputs, and in ``BusClient/beforeCycle(state:process:)``.
    public var isFullyConnected: Bool {
        @_noLocks @inline(__always) get { status.has(.isFullyConnected) }
    }
    /// What this port gives comes back to its app, or what it takes came from it, straight or through PipeBus filters.
    /// Do not send on what was made of the app's own sound, or it may howl. Always false in
    /// ``BusClient/beforeCycle(state:process:)``.
    public var isConnectedToSelf: Bool {
        @_noLocks @inline(__always) get { status.has(.isConnectedToSelf) }
    }
    /// Somebody downstream is known to play the port's sound, so the app should mute its own output of it. The port must go
    /// on giving it. Always false at a receiver, whose sound goes nowhere but into its app, and in
    /// ``BusClient/beforeCycle(state:process:)``. See ``PortState/isPlayed``.
    public var shouldMuteLocalOutput: Bool {
        @_noLocks @inline(__always) get { status.has(.shouldMuteLocalOutput) }
    }

    /// It does not continue what the block was given last, whatever the graph did.
    @_noLocks
    mutating func markDiscontinuous() { isDiscontinuous = true }

    /// The most frames a cycle can have.
    public static var maximumFrameCount: Int { @_noLocks get { 8192 } }

    @_noLocks
    @inline(__always)
    init(_ cycle: GraphCycle, missedFrames: Int, isDiscontinuous: Bool, status: PortStatus) {
        position = cycle.position
        startTime = MonotonicTime(nanoseconds: cycle.nanoseconds)
        frames = cycle.frames
        rate = cycle.rate
        clock = GraphClock(id: cycle.clock)
        isFreewheeling = cycle.isFreewheeling
        self.isDiscontinuous = isDiscontinuous
        self.missedFrames = missedFrames
        self.status = status
    }
}
