// SPDX-License-Identifier: MIT

/// An xrun of a port: frames that the connected port missed, because the graph went on without it.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct Xrun: Sendable, Hashable {
    /// The node that was late.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Culprit: Sendable, Hashable {
        /// The name of its port, for people.
        public let title: String
        /// Whether it is a port of this app.
        public let isThisApp: Bool
    }

    /// Position of the first missed frame in the app's time, ``AudioCycle/position``, in frames.
    public let position: UInt64
    /// The clock of ``position``.
    public let clock: GraphClock
    /// Number of missed frames.
    public let missedFrames: Int
    /// The start of the first cycle after the missed frames.
    public let time: MonotonicTime
    /// Whose fault it was; `nil` if that is not known, or not yet, or if it was nobody's.
    ///
    /// A port of this app is known from the time that its own callback took. Another app is known from the daemon's profiler,
    /// if that was in use at the time; see ``BusClient/XrunDiagnosis``. It may become known up to two seconds after the xrun.
    /// It stays `nil` if no node was late (the device itself, or the computer as a whole), and if this process was stopped.
    public let culprit: Culprit?

    init(_ entry: XrunRing.Entry, culprit: Culprit?) {
        position = entry.position
        clock = GraphClock(number: entry.clock)
        missedFrames = Int(clamping: entry.missedFrames)
        time = MonotonicTime(nanoseconds: entry.nanoseconds)
        self.culprit = culprit
    }
}
