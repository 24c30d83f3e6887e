// SPDX-License-Identifier: MIT
import AudioKernels

/// Keeps the age at which the sound of a ``Writer`` leaves, for an app with a clock of its own, by a resampler's ratio.
///
/// A ``ClockMatcher`` sees when the graph takes frames from the ring, and when the app made those that it writes. The delay between
/// both is the latency that is promised.
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

    /// - Parameters:
    ///   - appRate: nominal frames per second of the app.
    ///   - graphRate: of the graph.
    ///   - liveLatency: the age of the sound when it leaves, in frames of the graph.
    @_noLocks
    init(appRate: Int, graphRate: Int, liveLatency: Int) {
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
    mutating func advance(_ frames: Int) { position &+= Int64(truncatingIfNeeded: frames) }

    /// Takes note of a write, before its sound is written.
    ///
    /// - Parameters:
    ///   - played: what the graph took last.
    ///   - writePosition: the position in the ring of the next frame.
    ///   - lead: number of frames by which the app's sound is ahead of that.
    ///   - time: when the first frame was made, as the app says.
    /// - Returns: when it was made, without the app's jitter.
    @_noLocks
    mutating func step(_ played: PlayedMoment, writePosition: Int, lead: Double, at time: MonotonicTime) -> UInt64 {
        // The frames before were made for another rate. The audio thread moves the sound after them.
        if played.nanoseconds > 0 && played.position >= firstFrame {
            matcher.noteGraph(
                position: Int64(truncatingIfNeeded: played.position), nanoseconds: played.nanoseconds)
        }
        let whole = Int(lead)
        // A delay that is far from the promised one is brought back by the audio thread, which waits, or drops frames.
        _ = matcher.noteApp(
            position: position, ringPosition: Int64(truncatingIfNeeded: writePosition &+ whole),
            fraction: lead - Double(whole), nanoseconds: time.nanoseconds)
        return matcher.appTime(of: position)
    }
}
