// SPDX-License-Identifier: MIT

extension ReceiverPort {
    /// The signal level of the mix.
    ///
    /// Silent without a connection, and at a receiver of separate streams. On the audio thread use
    /// ``ReceivedMix/meter``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``.
    public var mixMeter: LevelMeter {
        !memory.heardLanes.load().isEmpty ? memory.meters.reading(lane: nil, since: .max) : LevelMeter()
    }

    /// The pre-fader signal level of a lane: before its mix level is applied. A lane without a source is silent.
    ///
    /// - Parameter lane: the ``Source/lane``.
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block uses ``ReceivedMix/meter(ofLane:)``.
    public func meter(ofLane lane: Int) -> LevelMeter {
        precondition(lane >= 0 && lane < laneCount, "no such lane")
        guard memory.heardLanes.load().contains(lane) else { return LevelMeter() }
        return memory.meters.reading(lane: lane, since: .max)
    }

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
            return {
                if !isFirst, (try? await Task.sleep(for: pace)) == nil { return nil }
                isFirst = false
                guard !Task.isCancelled, let sources = try? await port.sources else { return nil }
                let (first, memory) = (window, port.memory)
                window = memory.meters.newest
                return sources.map {
                    SourceMeter(source: $0, meter: memory.meters.reading(lane: $0.lane, since: first))
                }
            }
        }
    }
}
