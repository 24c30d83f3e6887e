// SPDX-License-Identifier: MIT
import RealtimeKit

/// The writing side of a stream of a receiver: hands the mix, or each source, over to another thread, cycle by cycle.
/// Reached through a plain address, owned by ``StreamMemory``.
///
/// - Thread: audio.
struct StreamCore: ~Copyable {
    let lanes: Cells<StreamLane>
    private let laneCount: Int
    /// Whether every source has a lane of its own; otherwise the mix is on the only lane.
    private let isSeparate: Bool
    private var timeline = StreamTimeline()
    private var progress = StreamProgress()
    var published: TripleBuffer<StreamProgress>.Writer

    @_noLocks
    init(
        lanes: Cells<StreamLane>, laneCount: Int, isSeparate: Bool, progress: TripleBuffer<StreamProgress>.Writer
    ) {
        self.lanes = lanes
        self.laneCount = laneCount
        self.isSeparate = isSeparate
        published = progress
    }

    /// Hands over a cycle of a receiver, once its lanes are processed.
    @_noLocks
    mutating func write(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        if isSeparate { writeSources(of: receiver, cycle) } else { writeMix(of: receiver, cycle) }
    }

    @_noLocks
    private mutating func writeMix(of receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        var record = begin(cycle)
        record.generation = 1
        record.age = receiver.value.heldLatency
        record.channelCount = receiver.value.width
        record.missedFrames = cycle.missedFrames &+ receiver.value.mostMissedFrames
        if lanes[0].begin(record) {
            for channel in 0..<receiver.value.width {
                lanes[0].fill(channel: channel, with: receiver.value.mix.block(channel, cycle.frameCount))
            }
            lanes[0].end()
        }
        finish(record, oldest: record.age, newest: record.age, receiver.value.connectionEpoch)
    }

    @_noLocks
    private mutating func writeSources(of receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        var record = begin(cycle)
        var (oldest, newest) = (Int.min, Int.max)
        for lane in receiver.value.presentLanes where lane < laneCount {
            let settings = receiver.value.settings.cell(lane)
            record.generation = settings.value.sourceGeneration
            record.age = settings.value.latency &+ receiver.value.lanes[lane].targetDelay
            record.channelCount = settings.value.channelCount
            record.source = settings.value.source
            record.tag = settings.value.tag
            oldest = max(oldest, record.age)
            newest = min(newest, record.age)
            record.missedFrames = cycle.missedFrames &+ receiver.value.missedFrames(ofLane: lane)
            guard lanes[lane].begin(record) else { continue }
            for channel in 0..<record.channelCount {
                let block = receiver.value.blocks.block(lane &* receiver.value.width &+ channel, cycle.frameCount)
                lanes[lane].fill(channel: channel, with: block)
            }
            lanes[lane].end()
        }
        // Without a source there is no sound whose time could have come: a link may not be known here yet.
        guard oldest >= newest else { return }
        finish(record, oldest: oldest, newest: newest, receiver.value.connectionEpoch)
    }

    /// The common part of a cycle's records.
    @_noLocks
    private mutating func begin(_ cycle: AudioCycle) -> StreamRecord {
        var record = StreamRecord()
        record.cycle = progress.cycle &+ 1
        record.arrival = timeline.place(
            position: cycle.position, frameCount: cycle.frameCount, sampleRate: cycle.sampleRate,
            time: cycle.startTime.nanoseconds, isFreewheeling: cycle.isFreewheeling)
        record.nanoseconds = cycle.startTime.nanoseconds
        record.frameCount = cycle.frameCount
        record.sampleRate = cycle.sampleRate
        record.clock = cycle.clock.number
        record.isContinuation = !cycle.isDiscontinuous
        record.missedFrames = cycle.missedFrames
        return record
    }

    /// Publishes that a cycle is handed over.
    ///
    /// - Parameters:
    ///   - oldest: the largest age of its sound, in frames.
    ///   - newest: the smallest age.
    ///   - connectionEpoch: of the port, in this cycle.
    @_noLocks
    private mutating func finish(_ record: StreamRecord, oldest: Int, newest: Int, _ connectionEpoch: UInt64) {
        if progress.cycle == 0 {
            progress.firstArrival = record.arrival
            progress.firstPlace = record.arrival &- Int64(truncatingIfNeeded: oldest)
            progress.firstSampleRate = record.sampleRate
            progress.newestEnd = .min
        }
        let end = record.arrival &+ Int64(truncatingIfNeeded: record.frameCount)
        progress.cycle = record.cycle
        progress.arrivalEnd = end
        progress.completeEnd = end &- Int64(truncatingIfNeeded: oldest)
        progress.newestEnd = max(progress.newestEnd, end &- Int64(truncatingIfNeeded: newest))
        progress.nanoseconds = record.nanoseconds
        progress.frameCount = record.frameCount
        progress.sampleRate = record.sampleRate
        progress.age = oldest
        progress.connectionEpoch = connectionEpoch
        // Released: the records before it are visible with it.
        published.value = progress
        published.publish()
    }
}
