// SPDX-License-Identifier: MIT

extension ReceiverPort {
    /// The signal level of the mix.
    ///
    /// Silent without a connection, while no cycles come, and at a receiver of separate streams. On the audio thread use
    /// ``ReceivedMix/meter``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``.
    public var mixMeter: LevelMeter {
        !memory.heardLanes.load().isEmpty ? reading(lane: nil) : LevelMeter()
    }

    /// The pre-fader signal level of a lane: before its mix level is applied. A lane without a source is silent.
    ///
    /// - Parameter lane: the ``Source/lane``.
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block uses ``ReceivedMix/meter(ofLane:)``.
    public func meter(ofLane lane: Int) -> LevelMeter {
        precondition(lane >= 0 && lane < laneCount, "no such lane")
        guard memory.heardLanes.load().contains(lane) else { return LevelMeter() }
        return reading(lane: lane)
    }

    /// The level of the last two seconds. Where no cycle has come for a while there was no sound: its windows end with the
    /// last cycle, and say nothing of the time since.
    private func reading(lane: Int?) -> LevelMeter {
        let silence = MonotonicTime.now.nanoseconds.subtractingReportingOverflow(lastCycle)
        guard !silence.overflow, silence.partialValue > Self.pause else {
            return memory.meters.reading(lane: lane, since: .max)
        }
        guard silence.partialValue < LevelMeter.holdMicroseconds * 1000 else { return LevelMeter() }
        var meter = memory.meters.reading(lane: lane, since: .max)
        meter.rms = 0
        return meter
    }

    /// The end of the port's last cycle: CLOCK_MONOTONIC, in nanoseconds.
    private var lastCycle: UInt64 { handle.cells.lastCycleEnd }

    /// The time without a cycle after which a receiver is silent, in nanoseconds: longer than any cycle.
    private static var pause: UInt64 { 500_000_000 }

    /// Readings of all connected sources, 20 times a second; see ``meters(every:)``.
    public var meters: Updates<[SourceMeter]> { meters(every: .milliseconds(50)) }

    /// Readings of all connected sources, the first one at once.
    ///
    /// Each reader has every sample in one of its readings. The first reading is of the last three seconds.
    ///
    /// - Parameter interval: time from one reading to the next, clamped to 10 milliseconds … 2 seconds. A reading comes
    ///   later if the reader is busy.
    public func meters(every interval: Duration) -> Updates<[SourceMeter]> {
        let pace = min(max(interval, .milliseconds(10)), .seconds(2))
        return Updates { [port = self] in
            // The first window of the next reading: it may have been read in part.
            var window = 0
            var isFirst = true
            var lastCycle: UInt64 = 0
            return {
                if !isFirst, (try? await Task.sleep(for: pace)) == nil { return nil }
                isFirst = false
                guard !Task.isCancelled, let sources = try? await port.sources else { return nil }
                let (first, last, memory) = (window, lastCycle, port.memory)
                lastCycle = port.lastCycle
                // All that there was is in earlier readings.
                guard lastCycle != last || MonotonicTime.now.nanoseconds &- last < Self.pause else {
                    return sources.map { SourceMeter(source: $0, meter: LevelMeter()) }
                }
                window = memory.meters.newest
                return sources.map {
                    SourceMeter(source: $0, meter: memory.meters.reading(lane: $0.lane, since: first))
                }
            }
        }
    }
}
