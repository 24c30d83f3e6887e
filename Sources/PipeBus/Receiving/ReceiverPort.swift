// SPDX-License-Identifier: MIT
public import ConnectionGraph
import Synchronization

/// Takes the sound of any number of sources, each on a lane of its own, and hands over their mix or each by itself.
///
/// - Thread: any.
public final class ReceiverPort: LocalPort, @unchecked Sendable {
    /// Channels of each lane and of the mix.
    public let channels: ChannelLayout
    /// How many sources it can take at once.
    public let laneCount: Int
    let memory: ReceiverMemory

    init(_ handle: PortHandle, of client: BusClient, channels: ChannelLayout, laneCount: Int, memory: ReceiverMemory) {
        self.channels = channels
        self.laneCount = laneCount
        self.memory = memory
        super.init(handle, kind: .receiver, of: client)
    }

    /// Says whether the app plays what it receives. While it does, the apps that send it know that they need not play it
    /// themselves: ``PortState/shouldMuteLocalOutput``.
    ///
    /// When it returns the graph shows it, and the daemon has told the peers that are connected.
    ///
    /// - Throws: ``PipeBusError`` `closed`, `connectionLost`, `pipeWire` or `timedOut`.
    public func setMonitoring(_ isMonitoring: Bool) async throws {
        try await client.setMonitoring(isMonitoring, of: handle)
    }
}

// MARK: Sources

extension ReceiverPort {
    /// What is connected now, by lane.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public var sources: [Source] {
        get async throws { try await client.sources(of: handle) }
    }

    /// What is connected now, also if that is nothing, and then every change. A slow reader gets several as one.
    public var sourceUpdates: Updates<SourceChanges> {
        Updates { [client, handle] in
            var snapshots: AsyncStream<[Source]>.Iterator?
            var last: [Source]?
            return {
                if snapshots == nil { snapshots = await client.sourceSnapshots(of: handle).makeAsyncIterator() }
                while let sources = await snapshots?.next(isolation: #isolation) {
                    let changes = SourceChanges(from: last ?? [], to: sources)
                    defer { last = sources }
                    if last == nil || !changes.isEmpty { return changes }
                }
                return nil
            }
        }
    }

    /// Hangs a value of the app's own on a source, for as long as it is connected. It comes with ``Source/context``.
    ///
    /// - Parameter source: its ``Source/id``.
    /// - Throws: ``PipeBusError`` `notConnected` or `closed`.
    public func setContext(_ context: (any Sendable)?, for source: GraphPort.ID) async throws {
        try await client.setContext(context, of: source, at: handle)
    }

    /// Marks a source with a number of the app's own, for as long as it is connected: the process block reads it as
    /// ``ReceivedSource/tag``, from the next cycle on, and knows its track by it.
    ///
    /// - Throws: ``PipeBusError`` `notConnected` or `closed`.
    public func setTag(_ tag: UInt64, for source: GraphPort.ID) async throws {
        try await client.setTag(tag, of: source, at: handle)
    }

    /// Gives up latency that the receiver holds for a source that has gone or got faster: the aligned sources are
    /// crossfaded to shorter delays within 10 ms of the next cycle's start, and what lies between is not heard. For live
    /// mixes that would rather have that than wait for silence; see ``Alignment``. Without such latency it does nothing.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public func realign() async throws { try await client.realign(handle) }

    /// How old the oldest sound is when it is handed over: the latency of the slowest chain that ends here or is still
    /// held, and the waiting for it.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads timestamps.
    public var latency: Latency { Latency(frames: memory.totalLatency, sampleRate: memory.sampleRate) }
}

// MARK: Levels

extension ReceiverPort {
    /// How a source is mixed.
    ///
    /// A receiver of separate streams does not mix, so its sources have no levels: this and all that follows throws
    /// `notSupported` there.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func level(of source: GraphPort.ID) async throws -> SourceLevel {
        try await client.localLevel(of: source, at: handle)
    }

    /// Sets volume, pan, mute and solo of a source in one go.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func setLevel(_ level: SourceLevel, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0 = level }
    }

    /// Sets how loud a source is in the mix, within 20 ms. The receiver remembers it for the source's
    /// ``Source/identity``, as all of its level.
    ///
    /// - Parameter volume: 0…1, linear amplitude. A value out of range is clamped.
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func setVolume(_ volume: Double, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.volume = volume }
    }

    /// Sets how loud a source is in the mix, in decibels; see ``setVolume(_:for:)``.
    ///
    /// - Parameter decibels: −∞…0 dB, as ``SourceLevel/volumeInDecibels`` has it. A value above 0 dB is clamped.
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func setVolume(decibels: Double, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.volumeInDecibels = decibels }
    }

    /// Sets where a source is in a stereo mix, by the receiver's ``PanLaw``.
    ///
    /// - Parameter pan: −1 (left) … 1 (right). A value out of range is clamped.
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func setPan(_ pan: Double, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.pan = pan }
    }

    /// Takes a source out of the mix, or in again.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func setMuted(_ isMuted: Bool, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.isMuted = isMuted }
    }

    /// While any source is soloed, only those are in the mix that are. A muted one is not heard even so.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `notSupported` or `closed`.
    public func setSoloed(_ isSoloed: Bool, for source: GraphPort.ID) async throws {
        try await client.changeLevel(of: source, at: handle) { $0.isSoloed = isSoloed }
    }

    /// The levels of all sources that are or were connected, mute and solo included, for the app to save.
    ///
    /// - Throws: ``PipeBusError`` `notSupported` or `closed`.
    public var levels: SourceLevels {
        get async throws { try await client.savedLevels(of: handle) }
    }

    /// Gives back what the app has saved, in place of all that is remembered: sources that are connected now take their
    /// levels from it at once, those it does not have the default.
    ///
    /// - Throws: ``PipeBusError`` `notSupported` or `closed`.
    public func restore(_ levels: SourceLevels) async throws { try await client.restore(levels, at: handle) }
}

// MARK: Meters

extension ReceiverPort {
    /// How loud the mix is. Silent while nothing is connected, and for a receiver of separate streams. On the audio thread
    /// ask ``ReceivedMix/meter`` instead.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``.
    public var mixMeter: LevelMeter {
        !memory.linkedLanes.load().isEmpty ? memory.meters.reading(lane: nil, since: .max) : LevelMeter()
    }

    /// How loud the sound on a lane is, before its level is applied. A lane without a source is silent.
    ///
    /// - Parameter lane: ``Source/lane``.
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block asks ``ReceivedMix/meter(ofLane:)``.
    public func meter(ofLane lane: Int) -> LevelMeter {
        precondition(lane >= 0 && lane < laneCount, "no such lane")
        guard memory.linkedLanes.load().contains(lane) else { return LevelMeter() }
        return memory.meters.reading(lane: lane, since: .max)
    }

    /// Readings of all sources that are connected, 20 times a second: ``meters(every:)``.
    public var meters: Updates<[SourceMeter]> { meters(every: .milliseconds(50)) }

    /// Readings of all sources that are connected, the first one at once. Each reader has every sample in one of its
    /// readings; the first one is of the last three seconds.
    ///
    /// - Parameter interval: from one reading to the next, clamped to 10 milliseconds … 2 seconds. A reading comes
    ///   later if the reader is busy.
    public func meters(every interval: Duration) -> Updates<[SourceMeter]> {
        let pace = min(max(interval, .milliseconds(10)), .seconds(2))
        return Updates { [port = self] in
            // The window that the next reading begins with: it may have been read in part.
            var window = 0
            var isFirst = true
            return {
                if !isFirst, (try? await Task.sleep(for: pace)) == nil { return nil }
                isFirst = false
                guard !Task.isCancelled, let sources = try? await port.sources else { return nil }
                let (first, memory) = (window, port.memory)
                window = memory.meters.newest
                return sources.map { SourceMeter($0, of: memory, since: first) }
            }
        }
    }
}
