// SPDX-License-Identifier: MIT
import AudioKernels
import RealtimeKit

/// The times of an input of a ``MultiStream``: a line through those that were written, up to the first jump that its frames have not
/// come to.
///
/// - Thread: the output's.
/// - Realtime: safe.
struct MultiStreamTimes: ~Copyable {
    private var stamps: EventQueue<WriterStamp>.Reader
    /// The one that was received last, and whether it is still to be noted.
    private var stamp = WriterStamp()
    private var hasStamp = false
    private var previous = WriterStamp()
    private let isReference: Bool
    private let sampleRate: Int
    private(set) var jump: MultiStreamJump
    /// The reference's line.
    private(set) var line: DelayLockedLoop
    /// The line of other inputs, and that of the output.
    var matcher: ClockMatcher
    /// Whether there was one.
    private(set) var isKnown = false
    /// Whether the input has to be placed anew.
    var isLoose = true

    /// - Parameter longestDistance: between the input's times and the output's, in seconds. Beyond it the input is not put in step.
    init(
        _ stamps: consuming EventQueue<WriterStamp>.Reader, sampleRate: Int, outputRate: Int, isReference: Bool,
        longestDistance: Double
    ) {
        self.stamps = stamps
        self.sampleRate = sampleRate
        self.isReference = isReference
        jump = MultiStreamJump(sampleRate: sampleRate)
        line = DelayLockedLoop(nominalRate: Double(sampleRate))
        matcher = ClockMatcher(
            .reading, graphRate: Double(sampleRate), appRate: Double(outputRate), target: 0,
            longestDistance: longestDistance)
    }

    /// The time of a position of the input, in nanoseconds; `nil` before the first one.
    @_noLocks
    func time(of position: Int64) -> UInt64? {
        guard isKnown else { return nil }
        return isReference ? line.time(of: position) : matcher.graphTime(of: position)
    }

    /// The shortest jump of the reference over which the timeline follows it, in seconds.
    static var longestMove: Double { @_noLocks get { 1 } }

    /// Whether the timeline will follow the reference over the jump. A read ends there.
    var isJumpLong: Bool {
        @_noLocks get {
            guard isReference else { return false }
            let stamp = jump.isPause ? jump.first : jump.last
            let time = line.time(of: Int64(truncatingIfNeeded: stamp.frame))
            let distance = abs(Double(Int64(bitPattern: stamp.nanoseconds &- time))) * 1e-9
            // It is seen from another line then, so it may be a little longer.
            return distance >= Self.longestMove - 0.01
        }
    }

    /// The first position behind another jump that comes after the one that is pending; `nil` if none is known.
    var nextJump: Int64? { @_noLocks get { hasStamp ? Int64(truncatingIfNeeded: stamp.frame) : nil } }

    /// Forgets the line, and keeps what is known of the clock.
    @_noLocks
    mutating func restart() {
        if isReference { line.reset(keepingRate: true) } else { matcher.reset(keepingRate: true) }
    }

    /// Takes note of what was written, up to a jump.
    ///
    /// - Parameter isWaitedFor: whether more may come, which tells what the jump is.
    /// - Returns: whether there is a jump, and it is known what it is: ``passJump()`` when the frames have come to it.
    @_noLocks
    mutating func take(isWaitedFor: Bool) -> Bool {
        while !jump.isPending, receive() {
            let isJump = isLate(stamp) && stamp.lateness(after: previous, sampleRate) >= MultiStreamJump.shortest
            if isJump { jump.begin(at: stamp) } else { note(stamp) }
            previous = stamp
            hasStamp = false
        }
        guard jump.isPending else { return false }
        while receive(), jump.note(stamp) {
            previous = stamp
            hasStamp = false
        }
        return jump.isDecided || !isWaitedFor
    }

    /// Goes on with the times after the jump: a line of their own after a pause.
    @_noLocks
    mutating func passJump() {
        if jump.isPause {
            restart()
            note(jump.first)
        }
        note(jump.last)
        jump.end()
    }

    @_noLocks
    private mutating func receive() -> Bool {
        if !hasStamp, let next = stamps.tryReceive() {
            stamp = next
            hasStamp = true
        }
        return hasStamp
    }

    @_noLocks
    private mutating func note(_ stamp: WriterStamp) {
        let position = Int64(truncatingIfNeeded: stamp.frame)
        if !isReference {
            matcher.noteGraph(position: position, nanoseconds: stamp.nanoseconds)
        } else if line.noteIsNew(position: position, nanoseconds: stamp.nanoseconds) {
            isLoose = true
        }
        isKnown = true
    }

    @_noLocks
    private func isLate(_ stamp: WriterStamp) -> Bool {
        let position = Int64(truncatingIfNeeded: stamp.frame)
        return isReference
            ? line.isLate(position: position, nanoseconds: stamp.nanoseconds)
            : matcher.isGraphLate(position: position, nanoseconds: stamp.nanoseconds)
    }
}
