// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The state of the receiver: hands over what comes to the thread that may wait for the disk, and says where it belongs,
/// which is when it was made.
///
/// Runs on the audio thread: neither allocates nor waits. It is noncopyable, and the classes in it are only kept alive, so
/// that nothing is retained there.
@safe struct Recording: ~Copyable, @unchecked Sendable {
    // @unchecked: the pointer is the course's, which is made for every thread.
    private let owner: Course
    private let course: UnsafeMutablePointer<Course.Values>
    private var writer: Capture.Writer
    private let isAligned: Bool
    private var timeline = Timeline()
    private var absences: Absences
    private var sampleRate = 0

    /// - Parameter isAligned: false puts everything where it arrived, and not where it was made.
    init(_ course: Course, into capture: Capture, isAligned: Bool) {
        owner = course
        unsafe self.course = unsafe course.values
        writer = Capture.Writer(capture)
        self.isAligned = isAligned
        absences = Absences(laneCount: capture.laneCount)
    }

    // These two are not marked `@_noLocks`: it takes the end of a span's life for a release. They do nothing but hand over
    // samples, and the tests watch them on the audio thread; all else is in functions that are.

    /// The mix of all sources, on the only lane there is.
    mutating func record(_ cycle: AudioCycle, _ mix: borrowing ReceivedMix) {
        guard let place = place(of: mix, in: cycle) else { return }
        let count = mix.count
        if begin(lane: 0, stream: 1, source: 0, at: place, channels: count, in: cycle) {
            for channel in 0..<count { writer.fill(lane: 0, channel: channel, with: mix[channel]) }
            writer.end(lane: 0)
        }
        finish(cycle, from: place, to: place)
    }

    /// Each source on the lane that it has.
    mutating func record(_ cycle: AudioCycle, _ sources: borrowing ReceivedSources) {
        guard let places = places(of: sources, in: cycle) else { return }
        for lane in 0..<sources.count {
            guard let source = sources[lane] else { continue }
            let place = places.arrival &- age(of: source)
            let count = source.channelCount
            let missing = absences.note(source, lane: lane, frameCount: cycle.frameCount)
            guard
                begin(
                    lane: lane, stream: source.sourceGeneration, source: source.id.serial, at: place, channels: count,
                    missing: missing, in: cycle)
            else { continue }
            for channel in 0..<count {
                writer.fill(lane: lane, channel: channel, with: sources.samples(ofLane: lane, channel: channel))
            }
            writer.end(lane: lane)
        }
        finish(cycle, from: places.first, to: places.last)
    }

    /// Where a cycle's mix belongs; `nil` if it cannot be recorded.
    @_noLocks
    private mutating func place(of mix: borrowing ReceivedMix, in cycle: AudioCycle) -> Int64? {
        guard let arrival = begin(cycle) else { return nil }
        let age = Int64(truncatingIfNeeded: cycle.position) &- mix.timestamp.position
        let place = isAligned ? arrival &- age : arrival
        start(at: place)
        return place
    }

    private struct Places {
        /// Of a source without latency.
        var arrival: Int64
        /// Of the oldest and of the newest sound.
        var first = Int64.max
        var last = Int64.min

        @_noLocks
        init(arrival: Int64) { self.arrival = arrival }
    }

    /// Where a cycle's sources belong; `nil` if they cannot be recorded.
    @_noLocks
    private mutating func places(of sources: borrowing ReceivedSources, in cycle: AudioCycle) -> Places? {
        guard let arrival = begin(cycle) else { return nil }
        var places = Places(arrival: arrival)
        for lane in 0..<sources.count {
            guard let source = sources[lane] else { continue }
            let place = arrival &- age(of: source)
            places.first = min(places.first, place)
            places.last = max(places.last, place)
        }
        // They may be linked, but not reported to us yet.
        guard places.first <= places.last else { return nil }
        start(at: places.first)
        return places
    }

    /// How much earlier than it arrived a source's sound is put.
    @_noLocks
    private func age(of source: ReceivedSource) -> Int64 {
        // Nobody is believed to be more than a minute late: a recording would have to wait for the sound.
        let frames = source.age.frames
        return isAligned && frames >= 0 && frames <= 60 &* sampleRate ? Int64(frames) : 0
    }

    /// - Returns: where the cycle is on the recording's time; `nil` if it cannot be recorded.
    @_noLocks
    private mutating func begin(_ cycle: AudioCycle) -> Int64? {
        if sampleRate == 0 { sampleRate = cycle.sampleRate }
        // A file has one rate.
        guard cycle.sampleRate == sampleRate else {
            unsafe course.pointee.newRate.store(cycle.sampleRate, ordering: .releasing)
            return nil
        }
        return timeline.place(
            clock: cycle.clock, position: cycle.position, frameCount: cycle.frameCount, sampleRate: sampleRate,
            time: cycle.startTime.nanoseconds, isFreewheeling: cycle.isFreewheeling)
    }

    @_noLocks
    private func start(at place: Int64) {
        guard unsafe course.pointee.sampleRate.load(ordering: .relaxed) == 0 else { return }
        unsafe course.pointee.start.store(place, ordering: .relaxed)
        // Release: whoever sees the rate sees the start too.
        unsafe course.pointee.sampleRate.store(sampleRate, ordering: .releasing)
    }

    /// Makes room for a block; see ``Capture/Writer/begin(lane:_:)``.
    @_noLocks
    private mutating func begin(
        lane: Int, stream: UInt64, source: UInt64, at place: Int64, channels: Int, missing: Int = 0,
        in cycle: AudioCycle
    ) -> Bool {
        writer.begin(
            lane: lane,
            CapturedBlock(
                stream: stream, source: source, position: place, frameCount: cycle.frameCount, channelCount: channels,
                isContinuation: !cycle.isDiscontinuous, missedFrames: cycle.missedFrames &+ missing))
    }

    /// Tells that a cycle is handed over, whose sources begin between two places.
    @_noLocks
    private func finish(_ cycle: AudioCycle, from first: Int64, to last: Int64) {
        let count = Int64(cycle.frameCount)
        // Release: whoever sees these finds the blocks before them.
        if unsafe last &+ count > course.pointee.end.load(ordering: .relaxed) {
            unsafe course.pointee.end.store(last &+ count, ordering: .releasing)
        }
        unsafe course.pointee.reached.store(first &+ count, ordering: .releasing)
    }
}
