// SPDX-License-Identifier: MIT
import AudioKernels

/// Keeps a ``Reader`` of an app with a clock of its own at its distance from the graph, by a resampler's ratio.
///
/// ``ReaderPacing`` says which distance is needed; a ``ClockMatcher`` keeps it.
///
/// - Thread: the reader's.
/// - Realtime: safe.
struct ReaderClock: BitwiseCopyable {
    private var matcher: ClockMatcher
    private let appRate: Int
    private var graphRate: Int
    /// Number of frames of the app that were read.
    private var position: Int64 = 0
    /// How much further behind than the pacing's target the sound is, because it was late.
    private var extra = 0
    private var late: LateApp?
    private var statedTimes = StatedTimes()
    /// The distance to keep, in frames of the graph, without what the resampler looks ahead.
    private(set) var target = 0

    /// For the errors of the distance, in frames of the graph (decision 16).
    @_noLocks
    static func margin(graphRate: Int) -> Int { Int(0.003 * Double(graphRate)) }

    /// - Parameters:
    ///   - appRate: nominal frames per second of the app.
    ///   - graphRate: of the graph.
    @_noLocks
    init(appRate: Int, graphRate: Int) {
        self.appRate = appRate
        self.graphRate = graphRate
        matcher = ClockMatcher(.reading, graphRate: Double(graphRate), appRate: Double(appRate), target: 0)
    }

    /// The frames of the app for each of the graph, relative to the nominal ratio.
    var factor: Double { @_noLocks get { Double(graphRate) / (matcher.ratio * Double(appRate)) } }
    var isLocked: Bool { @_noLocks get { matcher.isLocked } }

    /// The sound begins, or goes on at another rate.
    @_noLocks
    mutating func begin(graphRate rate: Int) {
        extra = 0
        late = nil
        if rate == graphRate {
            matcher.reset(keepingRate: true)
        } else {
            graphRate = rate
            matcher = ClockMatcher(.reading, graphRate: Double(rate), appRate: Double(appRate), target: 0)
        }
    }

    /// The app has read frames.
    @_noLocks
    mutating func advance(_ frames: Int) {
        position &+= Int64(truncatingIfNeeded: frames)
        statedTimes.advance(frames)
    }

    /// Takes note of a request, before its sound is read.
    ///
    /// - Parameters:
    ///   - pacing: what the pacing wants to do, and by how much its target has changed with it.
    ///   - needed: the pacing's target.
    ///   - place: that of the next frame that goes into the resampler.
    ///   - lead: by how much it is ahead of the next one that comes out.
    ///   - lookahead: number of frames that the resampler looks ahead.
    ///   - time: that of the request, as the app states it; that of the call by default.
    ///   - call: the time of the call; now by default.
    /// - Returns: what to do instead; `nil` if the times of graph and app say nothing, also while the app catches up: the pacing is
    ///   followed.
    @_noLocks
    mutating func step(
        _ pacing: ReaderPacing.Step, targetChange: Int, needed: Int, place: Int64, lead: Double, lookahead: Int,
        _ progress: StreamProgress, at time: MonotonicTime?, called call: MonotonicTime?
    ) -> ReaderPacing.Step? {
        let isAfterGap = noteTimes(time, called: call)
        let time = MonotonicTime.orNow(time)
        let changed = min(max(extra &+ pacing.frames &- targetChange, 0), graphRate / 2)
        target = needed &+ changed &+ Self.margin(graphRate: graphRate)
        matcher.target = Double(target &+ lookahead) / Double(graphRate)
        // A driver that does not publish the start of its cycles leaves 0.
        guard progress.nanoseconds > 0 else { return nil }
        matcher.noteGraph(
            position: progress.arrivalEnd &- Int64(truncatingIfNeeded: progress.frameCount),
            nanoseconds: progress.nanoseconds)
        guard isAfterGap || !isCatchingUp(at: time) else {
            if pacing.frames > 0 { extra = changed }
            return nil
        }
        var whole = Int64(lead)
        if Double(whole) < lead { whole &+= 1 }
        let move = matcher.noteApp(
            position: position, ringPosition: place &- whole, fraction: Double(whole) - lead,
            nanoseconds: time.nanoseconds, isAfterGap: isAfterGap)
        guard matcher.isMeasuring else { return nil }
        extra = changed
        return move > 0 ? .skip(move) : move < 0 ? .hold(0 &- move) : ReaderPacing.Step.none
    }

    /// Takes note of the times of a request, and counts the frames of a gap as read: blocks that the app's device has left out.
    ///
    /// - Returns: whether there is a gap.
    @_noLocks
    private mutating func noteTimes(_ time: MonotonicTime?, called call: MonotonicTime?) -> Bool {
        guard let time else { return false }
        statedTimes.note(time, called: call, rate: appRate)
        guard statedTimes.areOfDevice,
            let gap = matcher.appGap(position: position, nanoseconds: time.nanoseconds)
        else { return false }
        position &+= Int64(gap * Double(appRate) + 0.5)
        late = nil
        return true
    }

    /// Whether the app is late, and may still catch up. If it does not, its times begin anew.
    @_noLocks
    private mutating func isCatchingUp(at time: MonotonicTime) -> Bool {
        guard let lateness = matcher.appLateness(position: position, nanoseconds: time.nanoseconds) else {
            return false
        }
        guard var late else {
            guard lateness > LateApp.threshold else { return false }
            late = LateApp(lateness, position: position, rate: Double(appRate))
            return true
        }
        switch late.note(lateness, position: position) {
        case .catchingUp:
            self.late = late
            return true
        case .caughtUp:
            self.late = nil
            return false
        case .behind:
            self.late = nil
            matcher.restartApp()
            return false
        }
    }
}
