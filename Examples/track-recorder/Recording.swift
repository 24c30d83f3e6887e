// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The state of the receiver: hands its sound over to the thread that writes, with the position at which the sound was
/// made.
///
/// It runs on the audio thread, and neither allocates nor waits. It is noncopyable, and the classes in it are only kept
/// alive, so that nothing is retained.
@safe struct Recording: ~Copyable, @unchecked Sendable {
    // @unchecked: the pointer is the progress's, which is made for any thread.
    private let owner: RecordingProgress
    private let progress: UnsafeMutablePointer<RecordingProgress.Values>
    private var writer: Capture.Writer
    private let isAligned: Bool
    private var timeline = Timeline()
    private var missedCycles: MissedCycles
    private var sampleRate = 0

    /// - Parameter isAligned: whether sound is placed at the time at which it was made; otherwise at its arrival.
    init(_ progress: RecordingProgress, into capture: Capture, isAligned: Bool) {
        owner = progress
        unsafe self.progress = unsafe progress.values
        writer = Capture.Writer(capture)
        self.isAligned = isAligned
        missedCycles = MissedCycles(laneCount: capture.laneCount)
    }

    // These two are not marked `@_noLocks`, which takes the end of a span's life for a release. They only hand over
    // samples, and the tests watch them on the audio thread. All other work is in marked functions.

    /// Records the mix of all sources, on the only lane.
    mutating func record(_ cycle: AudioCycle, _ mix: borrowing ReceivedMix) {
        guard let place = place(of: mix, in: cycle) else { return }
        let count = mix.count
        if begin(lane: 0, stream: 1, at: place, channels: count, in: cycle) {
            for channel in 0..<count { writer.fill(lane: 0, channel: channel, with: mix[channel]) }
            writer.end(lane: 0)
        }
        finish(cycle, from: place, to: place)
    }

    /// Records each source on its lane.
    mutating func record(_ cycle: AudioCycle, _ sources: borrowing ReceivedSources) {
        guard let places = places(of: sources, in: cycle) else { return }
        for lane in 0..<sources.count {
            guard let source = sources[lane] else { continue }
            let place = places.arrival &- age(of: source)
            let count = source.channelCount
            let missing = missedCycles.note(source, lane: lane, frameCount: cycle.frameCount)
            guard
                begin(
                    lane: lane, stream: source.sourceGeneration, at: place, channels: count, missing: missing, in: cycle
                )
            else { continue }
            for channel in 0..<count {
                writer.fill(lane: lane, channel: channel, with: sources.samples(ofLane: lane, channel: channel))
            }
            writer.end(lane: lane)
        }
        finish(cycle, from: places.first, to: places.last)
    }

    /// The place of a cycle's mix; `nil` if it cannot be recorded.
    @_noLocks
    private mutating func place(of mix: borrowing ReceivedMix, in cycle: AudioCycle) -> Int64? {
        guard let arrival = begin(cycle) else { return nil }
        let age = Int64(truncatingIfNeeded: cycle.position) &- mix.timestamp.position
        let place = isAligned ? arrival &- age : arrival
        start(at: place)
        return place
    }

    private struct Places {
        /// The place of a source without latency.
        var arrival: Int64
        /// The places of the oldest and the newest sound.
        var first = Int64.max
        var last = Int64.min

        @_noLocks
        init(arrival: Int64) { self.arrival = arrival }
    }

    /// The places of a cycle's sources; `nil` if they cannot be recorded.
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
        // They may be linked, but not reported to the control side yet.
        guard places.first <= places.last else { return nil }
        start(at: places.first)
        return places
    }

    /// The number of frames by which a source's sound is placed before its arrival.
    @_noLocks
    private func age(of source: ReceivedSource) -> Int64 {
        // Clamped to a minute, because the recording waits for late sound.
        let frames = source.age.frames
        return isAligned && frames >= 0 && frames <= 60 &* sampleRate ? Int64(frames) : 0
    }

    /// - Returns: the place of the cycle in the recording's time; `nil` if it cannot be recorded.
    @_noLocks
    private mutating func begin(_ cycle: AudioCycle) -> Int64? {
        if sampleRate == 0 { sampleRate = cycle.sampleRate }
        // A file has one rate.
        guard cycle.sampleRate == sampleRate else {
            unsafe progress.pointee.newRate.store(cycle.sampleRate, ordering: .releasing)
            return nil
        }
        return timeline.place(
            position: cycle.position, frameCount: cycle.frameCount, sampleRate: sampleRate,
            time: cycle.startTime.nanoseconds, isFreewheeling: cycle.isFreewheeling)
    }

    @_noLocks
    private func start(at place: Int64) {
        guard unsafe progress.pointee.sampleRate.load(ordering: .relaxed) == 0 else { return }
        unsafe progress.pointee.start.store(place, ordering: .relaxed)
        // Release: the start is visible with the rate.
        unsafe progress.pointee.sampleRate.store(sampleRate, ordering: .releasing)
    }

    /// Reserves room for a block; see ``Capture/Writer/begin(lane:_:)``.
    @_noLocks
    private mutating func begin(
        lane: Int, stream: UInt64, at place: Int64, channels: Int, missing: Int = 0,
        in cycle: AudioCycle
    ) -> Bool {
        writer.begin(
            lane: lane,
            CapturedBlock(
                stream: stream, position: place, frameCount: cycle.frameCount, channelCount: channels,
                isContinuation: !cycle.isDiscontinuous, missedFrames: cycle.missedFrames &+ missing))
    }

    /// Reports that a cycle is handed over, whose sources begin between two places.
    @_noLocks
    private func finish(_ cycle: AudioCycle, from first: Int64, to last: Int64) {
        let count = Int64(cycle.frameCount)
        // Release: the earlier blocks are visible with these.
        if unsafe last &+ count > progress.pointee.end.load(ordering: .relaxed) {
            unsafe progress.pointee.end.store(last &+ count, ordering: .releasing)
        }
        unsafe progress.pointee.reached.store(first &+ count, ordering: .releasing)
    }
}
