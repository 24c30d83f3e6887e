// SPDX-License-Identifier: MIT

/// Steers a resampler between the graph's clock and an app's own, so that the delay between both keeps to a target.
/// Pure.
///
/// A ring joins the two sides. It holds frames at the graph's rate, and its positions are the graph's. The resampler
/// works on the app's side: it takes ``ratio`` frames from the ring for each frame that the app reads, or adds as
/// many for each frame that the app writes.
///
/// Each side has a ``DelayLockedLoop``, so the delay is known at any time, whenever the two sides run, as in F.
/// Adriaensen, "Controlling adaptive resampling", Linux Audio Conference 2012. The ratio is the one of both loops'
/// rates; a slow correction keeps the delay. `Docs/Decisions/0016-clock-matching.md` has what it reaches.
///
/// - Thread: the app's, on which the resampler runs.
/// - Realtime: safe. Whatever it is given, it does not trap, and ``ratio`` is within its limits.
package struct ClockMatcher: BitwiseCopyable, Sendable {
    package enum Direction: BitwiseCopyable, Sendable {
        /// The app reads what the graph puts into the ring.
        case reading
        /// The app writes what the graph takes from the ring.
        case writing
    }

    /// The delay to keep, in seconds.
    ///
    /// The delay of a reader is what the graph's position is ahead of the ring position that is read next. It must be
    /// more than a block's length, which is read at once, and the ring must hold a quantum more. The delay of a
    /// writer is what the ring position that is written next is ahead of the graph's position. It must be more than a
    /// quantum, and the ring must hold a block more. Both need 2 ms for the error of the delay, what jitter there is,
    /// and a reader what its resampler looks ahead.
    package var target: Double
    /// The delay less its target, in frames of the graph.
    package private(set) var delayError = 0.0
    /// Whether both sides run and the delay has come to its target: within 2 ms, and since then within 3 ms.
    ///
    /// It says nothing about the pitch, which is right to the difference of the clocks from the start.
    package private(set) var isLocked = false

    /// Whether the delay is known. It is not before the graph runs, and where the times of both sides have nothing to do with each
    /// other.
    package private(set) var isMeasuring = false

    /// 1 if a larger ratio lessens the delay, else -1.
    private let sign: Double
    private var nominalRatio: Double
    private var graph: DelayLockedLoop
    private var app: DelayLockedLoop
    private var steering = DelaySteering()
    /// The app's position at the last steering.
    private var steered: Int64 = 0
    /// Whether the ring position has nothing to do with the target yet.
    private var isNew = true

    /// The longest time between the newest cycle of the graph and the app's block, in seconds.
    private let longestDistance: Double
    /// The largest error of the delay that is corrected by the ratio, in seconds.
    private static var largestError: Double { @_noLocks get { 0.005 } }

    /// - Parameters:
    ///   - graphRate: nominal frames per second of the graph, at least 1000.
    ///   - appRate: nominal frames per second of the app, at least 1000.
    ///   - target: the delay to keep, in seconds.
    ///   - longestDistance: the longest time between the newest cycle of the graph and the app's block, in seconds. Beyond it both
    ///     have nothing to do with each other. The longest cycle, 8192 frames at 8 kHz, has half of the default.
    @_noLocks
    package init(
        _ direction: Direction, graphRate: Double, appRate: Double, target: Double, longestDistance: Double = 2
    ) {
        self.target = target
        self.longestDistance = longestDistance
        switch direction {
        case .reading: sign = 1
        case .writing: sign = -1
        }
        graph = DelayLockedLoop(nominalRate: graphRate)
        app = DelayLockedLoop(nominalRate: appRate)
        nominalRatio = graph.nominalRate / app.nominalRate
    }

    /// Ring frames for each frame of the app. Within 1 % of the nominal ratio.
    package var ratio: Double { @_noLocks get { nominalRatio * (1 + steering.correction) } }

    /// Begins anew, after a pause or with another connection.
    ///
    /// - Parameter keepsRate: whether the rates stay that were found. They are right as long as the devices are the
    ///   same.
    @_noLocks
    package mutating func reset(keepingRate keepsRate: Bool) {
        graph.reset(keepingRate: keepsRate)
        app.reset(keepingRate: keepsRate)
        if !keepsRate { steering = DelaySteering() }
        isNew = true
        isLocked = false
        delayError = 0
    }

    /// Takes another rate of the graph. What was found of the app's clock stays.
    ///
    /// - Parameter graphRate: nominal frames per second of the graph, at least 1000.
    @_noLocks
    package mutating func follow(graphRate: Double) {
        graph = DelayLockedLoop(nominalRate: graphRate)
        nominalRatio = graph.nominalRate / app.nominalRate
        isNew = true
        isLocked = false
        isMeasuring = false
        delayError = 0
    }

    /// Takes note of a cycle of the graph. Cycles may be left out, and may come again.
    ///
    /// - Parameters:
    ///   - position: ring position of the first frame that the cycle puts or takes.
    ///   - nanoseconds: when the cycle began, CLOCK_MONOTONIC.
    @_noLocks
    package mutating func noteGraph(position: Int64, nanoseconds: UInt64) {
        _ = graph.note(position: position, nanoseconds: nanoseconds)
    }

    /// Whether a cycle of the graph is later than those before say, by more than is usual.
    @_noLocks
    package func isGraphLate(position: Int64, nanoseconds: UInt64) -> Bool {
        graph.isLate(position: position, nanoseconds: nanoseconds)
    }

    /// Takes note of a block that the app is about to read or write, after the newest cycle of the graph. ``ratio``
    /// then is the one to use for it.
    ///
    /// - Parameters:
    ///   - position: number of frames that the app has read or written before.
    ///   - ringPosition: the ring position that is read or written next.
    ///   - fraction: how much further the resampler is, in frames, from 0 to 1.
    ///   - nanoseconds: time of the call, CLOCK_MONOTONIC.
    ///   - isAfterGap: whether the app has left out the frames before the position: a step of the time that says nothing
    ///     about its clock.
    /// - Returns: the number of frames by which the ring position has to change before the block: 0, except at the
    ///   start and after a jump of more than 5 ms, which the ratio would take too long to make up for. It may be
    ///   negative.
    @_noLocks
    package mutating func noteApp(
        position: Int64, ringPosition: Int64, fraction: Double, nanoseconds: UInt64, isAfterGap: Bool = false
    ) -> Int {
        if isAfterGap {
            app.goOn(position: position, nanoseconds: nanoseconds)
        } else {
            switch app.note(position: position, nanoseconds: nanoseconds) {
            case .gathered: return 0
            case .updated, .moved, .started: break
            }
        }
        let passed = min(max(Double(position &- steered) / app.nominalRate, 0), 10)
        steered = position
        isMeasuring = graph.isRunning && abs(graph.seconds(to: app.nanoseconds)) < longestDistance
        guard isMeasuring else {
            isLocked = false
            return 0
        }
        let lead = graph.frames(from: ringPosition, to: app.nanoseconds) - fraction
        let error = sign * lead - target * graph.nominalRate
        let seconds = error / graph.nominalRate
        guard !isNew, abs(seconds) < Self.largestError else {
            // What is left out is a gap's length.
            return realign(error, staysLocked: isAfterGap)
        }
        steering.update(
            rate: (1 + app.slope) / (1 + graph.slope) - 1, error: sign * seconds,
            angularFrequency: graph.uncertainty.angularFrequency(with: app.uncertainty), after: passed)
        delayError = error
        // A start while a thread was held up is not believed. Later that is no news.
        isLocked = isLocked ? abs(seconds) < 0.003 : abs(seconds) < 0.002 && graph.isReliable && app.isReliable
        return 0
    }

    /// By how much the app is later than its clock says, in seconds; `nil` while nothing is known of it.
    @_noLocks
    package func appLateness(position: Int64, nanoseconds: UInt64) -> Double? {
        guard app.isRunning else { return nil }
        return app.lateness(position: position, nanoseconds: nanoseconds)
    }

    /// By how much a block of the app is later than those before say, in seconds, if that is more than is usual: 0.001…1000.
    @_noLocks
    package func appGap(position: Int64, nanoseconds: UInt64) -> Double? {
        let gap = app.lateness(position: position, nanoseconds: nanoseconds)
        return gap > 0.001 && gap < 1000 && app.isLate(position: position, nanoseconds: nanoseconds) ? gap : nil
    }

    /// Begins the app's times anew, as after a pause that it does not make up for. The rate stays.
    @_noLocks
    package mutating func restartApp() {
        app.reset(keepingRate: true)
        isNew = true
        isLocked = false
    }

    /// The time of a position of the app near the last one that was noted, without jitter: CLOCK_MONOTONIC, in nanoseconds.
    @_noLocks
    package func appTime(of position: Int64) -> UInt64 { app.time(of: position) }

    /// The time of a position of the ring near the graph's last one that was noted, without jitter: CLOCK_MONOTONIC, in nanoseconds.
    @_noLocks
    package func graphTime(of position: Int64) -> UInt64 { graph.time(of: position) }

    /// - Returns: the change of the ring position that brings the delay to its target.
    @_noLocks
    private mutating func realign(_ error: Double, staysLocked: Bool) -> Int {
        isNew = false
        isLocked = isLocked && staysLocked
        // Nothing can be done about an error that is not a number, or of thousands of years.
        let frames = abs(error) < 1e15 ? Int(error) : 0
        delayError = abs(error) < 1e15 ? error - Double(frames) : 0
        return sign > 0 ? frames : -frames
    }
}
