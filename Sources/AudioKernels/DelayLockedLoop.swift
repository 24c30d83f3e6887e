// SPDX-License-Identifier: MIT

/// Filters the times of a stream's events: finds the line through noisy pairs of a position and a time. Pure.
///
/// A loop of second order as in F. Adriaensen, "Using a DLL to filter time", Linux Audio Conference 2005: each
/// event's deviation from the time that the loop predicted for it corrects the line's place and its slope. Here the
/// intervals between events have any length, and the gains come from a ``LineUncertainty``.
///
/// Events closer than 5 ms are averaged first. An event that deviates by more than four times what is usual counts
/// the less the more it deviates. If deviations stay the same, the line has jumped, and starts again at the event,
/// with its slope.
///
/// - Thread: any. A value.
/// - Realtime: safe. It has no value that makes it trap, or that makes a result infinite or NaN.
package struct DelayLockedLoop: BitwiseCopyable, Sendable {
    package enum Outcome: BitwiseCopyable, Sendable {
        /// The line is what it was.
        case gathered
        case updated
        /// The line has jumped by less than half a second, and starts again at the event.
        case moved
        /// The line starts at the event: it is the first, or has nothing to do with the one before.
        case started
    }

    /// Frames per second that the stream should have.
    package let nominalRate: Double
    /// Number of times that the line was updated since it started; -1 before.
    package private(set) var updates = -1
    /// Length of a frame, relative to the nominal one, less 1. Within ±0.005.
    package private(set) var slope = 0.0
    private(set) var uncertainty: LineUncertainty

    // The line's last point.
    private var position: Int64 = 0
    private(set) var nanoseconds: UInt64 = 0

    private var newest = (position: Int64(0), nanoseconds: UInt64(0))
    private var gathered = (sum: 0.0, count: 0.0)
    private var deviations = EventDeviations()

    /// - Parameter nominalRate: frames per second, from 1000 to 10 000 000; others are clamped.
    @_noLocks
    package init(nominalRate: Double) {
        self.nominalRate = nominalRate >= 1000 ? min(nominalRate, 10_000_000) : 1000
        uncertainty = LineUncertainty(place: deviations.noise)
    }

    /// Whether there is a line.
    package var isRunning: Bool { @_noLocks get { updates >= 0 } }
    /// Whether the line is an update old, and the last event was on it.
    var isReliable: Bool { @_noLocks get { updates > 0 && !deviations.isStraying } }
    /// Frames per second.
    package var rate: Double { @_noLocks get { nominalRate / (1 + slope) } }

    /// Forgets all events.
    ///
    /// - Parameter keepsRate: whether the slope stays, how well it is known, and how noisy events are.
    @_noLocks
    package mutating func reset(keepingRate keepsRate: Bool) {
        updates = -1
        if !keepsRate { self = Self(nominalRate: nominalRate) }
    }

    /// Takes note of an event. One that comes again, or late after a newer one, is left out.
    ///
    /// - Parameters:
    ///   - position: frames of the stream before the event.
    ///   - nanoseconds: time of the event, CLOCK_MONOTONIC.
    @_noLocks
    package mutating func note(position: Int64, nanoseconds: UInt64) -> Outcome {
        guard isRunning else { return start(.started, position, nanoseconds) }
        guard !isOld(position, nanoseconds) else { return .gathered }
        newest = (position, nanoseconds)
        let length = Double(position &- self.position) / nominalRate
        let predicted = length * (1 + slope)
        let deviation = seconds(to: nanoseconds) - predicted
        guard length > 0, length < 1000, abs(deviation) < 0.5 else {
            return start(.started, position, nanoseconds)
        }
        gathered.sum += deviation
        gathered.count += 1
        return length < 0.005 ? .gathered : update(after: length, predicted)
    }

    /// Goes on from an event after a gap whose length is known. The line there is of the same slope.
    @_noLocks
    package mutating func goOn(position: Int64, nanoseconds: UInt64) {
        let gap = min(max(Double(position &- self.position) / nominalRate, 0), 1000)
        self.position = position
        self.nanoseconds = nanoseconds
        newest = (position, nanoseconds)
        gathered = (0, 0)
        deviations.restart()
        uncertainty.advance(by: gap)
        uncertainty.restartPlace(deviations.noise)
    }

    /// Takes note of an event, and returns whether the line has begun anew with it.
    @_noLocks
    package mutating func noteIsNew(position: Int64, nanoseconds: UInt64) -> Bool {
        switch note(position: position, nanoseconds: nanoseconds) {
        case .moved, .started: true
        case .gathered, .updated: false
        }
    }

    /// Whether an event is later than the line says by more than four times what is usual.
    @_noLocks
    package func isLate(position: Int64, nanoseconds: UInt64) -> Bool {
        guard isRunning else { return false }
        let deviation = lateness(position: position, nanoseconds: nanoseconds)
        return deviation > 0 && deviations.isStray(deviation, uncertainty.place)
    }

    /// By how much an event is later than the line says, in seconds.
    @_noLocks
    package func lateness(position: Int64, nanoseconds: UInt64) -> Double {
        seconds(to: nanoseconds) - Double(position &- self.position) / nominalRate * (1 + slope)
    }

    /// Number of frames from a position of this stream to the one that it has at a time.
    @_noLocks
    package func frames(from position: Int64, to nanoseconds: UInt64) -> Double {
        Double(self.position &- position) + seconds(to: nanoseconds) * rate
    }

    /// The time that the line has at a position within 1000 s of its last point; beyond, the nearest such time.
    @_noLocks
    package func time(of position: Int64) -> UInt64 {
        let length = Double(position &- self.position) / nominalRate * (1 + slope)
        return nanoseconds &+ UInt64(bitPattern: Int64(min(max(length, -1000), 1000) * 1e9))
    }

    /// Time from the line's last point to another one, in seconds.
    @_noLocks
    func seconds(to nanoseconds: UInt64) -> Double {
        Double(Int64(truncatingIfNeeded: nanoseconds &- self.nanoseconds)) * 1e-9
    }

    /// Whether an event is the newest one, or of the two seconds before it. Of the last tenth its time is not asked:
    /// it may have waited.
    @_noLocks
    private func isOld(_ position: Int64, _ nanoseconds: UInt64) -> Bool {
        let age = Double(newest.position &- position) / nominalRate
        return age >= 0 && (age < 0.1 || age < 2 && nanoseconds <= newest.nanoseconds)
    }

    @_noLocks
    private mutating func start(_ outcome: Outcome, _ position: Int64, _ nanoseconds: UInt64) -> Outcome {
        self.position = position
        self.nanoseconds = nanoseconds
        newest = (position, nanoseconds)
        gathered = (0, 0)
        if outcome == .started { updates = 0 }
        deviations.restart()
        uncertainty.restart(place: deviations.noise)
        return outcome
    }

    /// Corrects the line by the events since its last point.
    @_noLocks
    private mutating func update(after length: Double, _ predicted: Double) -> Outcome {
        let deviation = gathered.sum / gathered.count
        uncertainty.advance(by: length)
        guard let counted = deviations.weigh(deviation, uncertainty.place, after: length, at: newest.nanoseconds) else {
            return start(.moved, newest.position, newest.nanoseconds)
        }
        if deviations.areBiased(uncertainty.place) { uncertainty.restart(place: deviations.noise) }
        let gains = uncertainty.takeEvent(noise: deviations.noise)
        slope = min(max(slope + gains.slope * counted, -0.005), 0.005)
        position = newest.position
        nanoseconds &+= UInt64(bitPattern: Int64((predicted + gains.place * counted) * 1e9))
        gathered = (0, 0)
        updates = min(updates &+ 1, 1 << 30)
        return .updated
    }
}
