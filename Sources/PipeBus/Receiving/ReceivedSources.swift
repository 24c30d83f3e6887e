// SPDX-License-Identifier: MIT
import RealtimeKit

/// The sound of each source in this cycle, each on its lane, all for the same frames.
///
/// A source keeps its lane when others are connected or disconnected. Volume and pan are not applied.
///
/// ```swift
/// for lane in 0..<sources.count {
///     guard let source = sources[lane] else { continue }
///     for channel in 0..<source.channelCount { use(sources.samples(ofLane: lane, channel: channel)) }
/// }
/// ```
///
/// - Thread: audio. Valid only during the process block that is given it.
/// - Realtime: safe.
public struct ReceivedSources: ~Copyable, ~Escapable {
    private let receiver: Cell<ReceiverCore>
    private let cycle: AudioCycle
    /// Number of lanes, with and without a source; the same in every cycle.
    public let count: Int
    /// Channels of each lane; the same in every cycle. A mono source has one, ``ReceivedSource/channelCount``.
    public let channelCount: Int

    @_noLocks
    @_lifetime(borrow receiver)
    init(receiver: Cell<ReceiverCore>, cycle: AudioCycle) {
        self.receiver = receiver
        self.cycle = cycle
        count = receiver.value.laneCount
        channelCount = receiver.value.width
    }

    /// Samples in each channel: ``AudioCycle/frameCount``.
    public var frameCount: Int { @_noLocks get { cycle.frameCount } }

    /// The source on a lane, 0..<``count``; `nil` for a lane without one.
    public subscript(lane: Int) -> ReceivedSource? {
        @_noLocks
        get {
            let laneCount = count
            precondition(lane >= 0 && lane < laneCount, "no such lane")
            return receiver.value.source(onLane: lane, cycle)
        }
    }

    /// The signal level of a lane, 0..<``count``, this cycle included.
    @_noLocks
    public func meter(ofLane lane: Int) -> LevelMeter {
        let laneCount = count
        precondition(lane >= 0 && lane < laneCount, "no such lane")
        return receiver.value.meters.value.reading(row: lane, since: .max)
    }

    /// The samples of one channel of a lane, 0..<``channelCount``; silent without a source.
    ///
    /// A mono source is equal on all channels. A sum over the channels has it several times.
    @_noLocks
    @_lifetime(copy self)
    public func samples(ofLane lane: Int, channel: Int) -> Span<Float> {
        let laneCount = count
        let width = channelCount
        precondition(lane >= 0 && lane < laneCount && channel >= 0 && channel < width, "no such lane or channel")
        let block = receiver.value.blocks.block(lane * width + channel, cycle.frameCount)
        return unsafe _overrideLifetime(
            Span(_unsafeStart: UnsafePointer(block.base), count: block.frameCount), copying: self)
    }
}

extension ReceiverCore {
    @_noLocks
    func source(onLane lane: Int, _ cycle: AudioCycle) -> ReceivedSource? {
        guard presentLanes.contains(lane) else { return nil }
        return ReceivedSource(
            settings.cell(lane), cycle, delay: lanes[lane].targetDelay, hasArrived: arrivedLanes.contains(lane))
    }
}
