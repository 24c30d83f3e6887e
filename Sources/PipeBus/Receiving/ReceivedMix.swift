// SPDX-License-Identifier: MIT
import RealtimeKit

/// The mix of all sources in this cycle, a span of 32-bit floats for each channel.
///
/// Full scale is −1…1. A mix may exceed it, and nothing clips it.
///
/// - Thread: audio. Valid only during the process block that is given it.
/// - Realtime: safe.
public struct ReceivedMix: ~Copyable, ~Escapable {
    private let receiver: Cell<ReceiverCore>
    private let cycle: AudioCycle
    /// Number of channels; the same in every cycle.
    public let count: Int
    /// Number of lanes, with and without a source; the same in every cycle.
    public let laneCount: Int

    @_noLocks
    @_lifetime(borrow receiver)
    init(receiver: Cell<ReceiverCore>, cycle: AudioCycle) {
        self.receiver = receiver
        self.cycle = cycle
        count = receiver.value.width
        laneCount = receiver.value.laneCount
    }

    /// Samples in each channel: ``AudioCycle/frameCount``.
    public var frameCount: Int { @_noLocks get { cycle.frameCount } }

    /// The time at which the first frame of the mix was made. A mix that is not aligned has the cycle's own time.
    public var timestamp: Timestamp {
        @_noLocks get { Timestamp(cycle, latency: receiver.value.heldLatency) }
    }

    /// The samples of one channel, 0..<``count``. Without a source it is silent.
    public subscript(channel: Int) -> Span<Float> {
        @_noLocks
        @_lifetime(copy self)
        get {
            let width = count
            precondition(channel >= 0 && channel < width, "no such channel of the mix")
            let block = receiver.value.mix.block(channel, cycle.frameCount)
            return unsafe _overrideLifetime(
                Span(_unsafeStart: UnsafePointer(block.base), count: block.frameCount), copying: self)
        }
    }

    /// The source on a lane, 0..<``laneCount``; `nil` for a lane without one.
    @_noLocks
    public func source(onLane lane: Int) -> ReceivedSource? {
        let lanes = laneCount
        precondition(lane >= 0 && lane < lanes, "no such lane")
        return receiver.value.source(onLane: lane, cycle)
    }

    /// The signal level of the mix, this cycle included.
    public var meter: LevelMeter {
        @_noLocks get { receiver.value.meters.value.reading(row: laneCount, since: .max) }
    }

    /// The pre-fader signal level of a lane, 0..<``laneCount``: before its mix level is applied. This cycle included.
    @_noLocks
    public func meter(ofLane lane: Int) -> LevelMeter {
        let lanes = laneCount
        precondition(lane >= 0 && lane < lanes, "no such lane")
        return receiver.value.meters.value.reading(row: lane, since: .max)
    }

    /// The channels of the mix as a filter's input has them, for code that is shared with a filter.
    public var channels: InputChannels {
        @_noLocks
        @_lifetime(copy self)
        get {
            let input = InputChannels(receiver.value.mix, count: count, frameCount: cycle.frameCount)
            return unsafe _overrideLifetime(input, copying: self)
        }
    }
}
