// SPDX-License-Identifier: MIT

/// Receives the sound of several sources, each on a lane of its own. It hands over their mix, or each source by itself.
///
/// - Thread: any.
/// - Realtime: unsafe, see ``LocalPort``.
public final class ReceiverPort: LocalPort, @unchecked Sendable {
    /// Channels of each lane and of the mix.
    public let channels: ChannelLayout
    /// The largest number of lanes of any receiver.
    public static var maximumLaneCount: Int { LaneSet.capacity }

    /// The largest number of sources at once: 1…``maximumLaneCount``.
    public let laneCount: Int
    let memory: ReceiverMemory
    /// Whether the sources are handed over one by one.
    let isSeparate: Bool

    init(
        _ handle: PortHandle, of client: BusClient, channels: ChannelLayout, laneCount: Int, isSeparate: Bool,
        memory: ReceiverMemory
    ) {
        self.channels = channels
        self.laneCount = laneCount
        self.isSeparate = isSeparate
        self.memory = memory
        super.init(handle, kind: .receiver, of: client)
    }

    /// Publishes whether the app plays its input. While it does, apps upstream need not play their own output:
    /// ``PortState/shouldMuteLocalOutput``.
    ///
    /// When the call returns, the graph shows the change, and the daemon has notified the connected peers.
    ///
    /// - Throws: ``PipeBusError`` `closed`, `connectionLost`, `pipeWire` or `timedOut`.
    public func setMonitoring(_ isMonitoring: Bool) async throws {
        try await client.set(.isMonitoring, to: isMonitoring, of: handle)
    }
}
