// SPDX-License-Identifier: MIT

/// The time of what a ``Reader`` gives while there is no sound.
///
/// Position and time go on by the frames that are read, from the end of the sound on. So they agree, and reads of one interval have
/// one time. They are moved where they are far from the times of the requests:
///
/// | how far | when |
/// | --- | --- |
/// | half a second | at once |
/// | a cycle and 20 ms, at the nearest request of a second | at the second's end: an app that reads in bursts is ahead in each |
///
/// - Thread: the reader's.
/// - Realtime: safe.
struct ReaderIdleTime: BitwiseCopyable {
    /// A place and its time.
    private(set) var moment = StreamMoment()
    /// Whether there was sound, so that places are positions of the graph.
    private var isOnGraph = false
    /// The largest difference in this second, in frames: by how much the place is too early.
    private var largest = -Double.infinity
    /// Number of frames in this second.
    private var frames = 0

    @_noLocks
    init() {}

    /// The sound has ended.
    @_noLocks
    mutating func begin(_ progress: StreamProgress) {
        moment.arrival = progress.arrivalEnd &- Int64(truncatingIfNeeded: progress.frameCount)
        moment.nanoseconds = progress.nanoseconds
        moment.sampleRate = progress.sampleRate
        // A driver that does not publish the start of its cycles leaves 0.
        isOnGraph = progress.nanoseconds > 0
        beginWindow()
    }

    /// Takes note of an interval.
    ///
    /// - Parameters:
    ///   - place: that of its first frame.
    ///   - frameCount: of its first request, in frames of the graph.
    ///   - time: that of the request.
    ///   - age: of the place at that time, as it should be, in frames.
    ///   - rate: the graph's, in hertz; 1 or more.
    ///   - cycle: its length, in frames.
    /// - Returns: by how many frames to move the place.
    @_noLocks
    mutating func step(
        place: Int64, frameCount: Int, at time: MonotonicTime, age: Int, rate: Int, cycle: Int
    ) -> Int64 {
        moment.sampleRate = rate
        comeNear(place)
        let framesPerNanosecond = Double(rate) / 1e9
        let made = max(Double(min(time.nanoseconds, 1 << 62)) - Double(age) / framesPerNanosecond, 0)
        let passed = made - Double(moment.nanoseconds)
        let difference = passed * framesPerNanosecond - Double(place &- moment.arrival)
        if difference.magnitude > Double(rate) / 2 { return move(place, by: difference) }
        if difference > largest { largest = difference }
        frames &+= frameCount
        guard frames >= rate else { return 0 }
        let nearest = largest
        beginWindow()
        return nearest.magnitude > Double(cycle &+ rate / 50) ? move(place, by: nearest) : 0
    }

    @_noLocks
    private mutating func move(_ place: Int64, by frames: Double) -> Int64 {
        beginWindow()
        guard isOnGraph else {
            let nanoseconds = Double(moment.nanoseconds) + frames * 1e9 / Double(moment.sampleRate)
            moment.nanoseconds = UInt64(min(max(nanoseconds, 0), 0x1p62))
            return 0
        }
        let whole = Int64(frames + (frames < 0 ? -0.5 : 0.5))
        comeNear(place &+ whole)
        return whole
    }

    /// Takes a moment within a second of a place. It is whole seconds from the last one, so that nothing is rounded.
    @_noLocks
    private mutating func comeNear(_ place: Int64) {
        let rate = Int64(truncatingIfNeeded: moment.sampleRate)
        let seconds = (place &- moment.arrival) / rate
        moment.arrival &+= seconds &* rate
        moment.nanoseconds &+= UInt64(bitPattern: seconds &* 1_000_000_000)
    }

    @_noLocks
    private mutating func beginWindow() {
        largest = -.infinity
        frames = 0
    }
}
