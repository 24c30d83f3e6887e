// SPDX-License-Identifier: MIT
import AudioKernels

/// Keeps the age at which the sound of a ``Writer`` leaves, for an app with a clock of its own, by a resampler's ratio.
///
/// A ``ClockMatcher`` sees when the graph takes frames from the ring, and when the app made those that it writes. The delay between
/// both is the latency that is promised.
///
/// A gap in the sound, such as a lost packet, is no step of the app's clock. So the frames that are not there count on both sides: as
/// written by the app, and, once the audio thread has left them out, as taken by the graph.
///
/// - Thread: the writer's.
/// - Realtime: safe.
struct WriterClock: BitwiseCopyable {
    private var matcher: ClockMatcher
    private let appRate: Int
    private var graphRate: Int
    private let liveLatency: Int
    /// Number of frames of the app before the next write.
    private var position: Int64 = 0
    /// The position in the ring of the first frame at this rate of the graph.
    private var firstFrame = 0
    private var statedTimes = StatedTimes()
    /// Number of the graph's frames in all gaps so far.
    var gapFrames: Int

    /// - Parameters:
    ///   - appRate: nominal frames per second of the app.
    ///   - graphRate: of the graph.
    ///   - liveLatency: the age of the sound when it leaves, in frames of the graph.
    ///   - gapFrames: number of the graph's frames in the gaps of the sound before.
    @_noLocks
    init(appRate: Int, graphRate: Int, liveLatency: Int, gapFrames: Int) {
        self.gapFrames = gapFrames
        self.appRate = appRate
        self.graphRate = graphRate
        self.liveLatency = liveLatency
        matcher = ClockMatcher(
            .writing, graphRate: Double(graphRate), appRate: Double(appRate),
            target: Double(liveLatency) / Double(max(graphRate, 1)))
    }

    /// The frames of the app for each of the graph, relative to the nominal ratio.
    var factor: Double { @_noLocks get { Double(graphRate) / (matcher.ratio * Double(appRate)) } }
    var isLocked: Bool { @_noLocks get { matcher.isLocked } }

    /// Takes another rate of the graph.
    ///
    /// - Parameter position: in the ring, of the next frame.
    @_noLocks
    mutating func follow(graphRate rate: Int, from position: Int) {
        guard rate != graphRate else { return }
        graphRate = rate
        firstFrame = position
        matcher.follow(graphRate: Double(rate))
        matcher.target = Double(liveLatency) / Double(max(rate, 1))
    }

    /// The app's time goes on by frames: those that are taken, and those that nobody hears.
    @_noLocks
    mutating func advance(_ frames: Int) {
        position &+= Int64(truncatingIfNeeded: frames)
        statedTimes.advance(frames)
    }

    /// Takes note of a write, before its sound is written.
    ///
    /// - Parameters:
    ///   - played: what the graph took last.
    ///   - writePosition: the position in the ring of the next frame.
    ///   - lead: number of frames by which the app's sound is ahead of that.
    ///   - time: when the first frame was made, as the app says.
    ///   - call: the time of the call; now by default.
    /// - Returns: when it was made, without the app's jitter, and whether a gap comes before it.
    @_noLocks
    mutating func step(
        _ played: PlayedMoment, writePosition: Int, lead: Double, at time: MonotonicTime, called call: MonotonicTime?
    ) -> (nanoseconds: UInt64, isAfterGap: Bool) {
        statedTimes.note(time, called: call, rate: appRate)
        let isAfterGap = leaveGap(before: time.nanoseconds)
        // The frames before were made for another rate. The audio thread moves the sound after them.
        if played.nanoseconds > 0 && played.position >= firstFrame {
            matcher.noteGraph(
                position: Int64(truncatingIfNeeded: played.position &+ played.gapFrames),
                nanoseconds: played.nanoseconds)
        }
        let whole = Int(lead)
        // A delay that is far from the promised one is brought back by the audio thread, which waits, or drops frames.
        _ = matcher.noteApp(
            position: position, ringPosition: Int64(truncatingIfNeeded: writePosition &+ gapFrames &+ whole),
            fraction: lead - Double(whole), nanoseconds: time.nanoseconds, isAfterGap: isAfterGap)
        return (matcher.appTime(of: position), isAfterGap)
    }

    /// Counts the frames of a gap, if the sound after it says that there is one.
    ///
    /// A time of a thread may be late for a moment. It is believed if the sound would have to be dropped otherwise.
    ///
    /// - Returns: whether there is a gap.
    @_noLocks
    private mutating func leaveGap(before nanoseconds: UInt64) -> Bool {
        guard let gap = matcher.appGap(position: position, nanoseconds: nanoseconds),
            statedTimes.areOfDevice || gap * Double(graphRate) > Double(liveLatency)
        else { return false }
        position &+= Int64(gap * Double(appRate) + 0.5)
        gapFrames &+= Int(gap * Double(graphRate) + 0.5)
        return true
    }
}
