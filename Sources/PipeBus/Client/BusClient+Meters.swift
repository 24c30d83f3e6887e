// SPDX-License-Identifier: MIT

extension BusClient {
    /// Adds a receiver that measures the sound which passes between other ports, for the meters of a patchbay.
    ///
    /// ```swift
    /// let meters = try await bus.meterReceiver("meters")
    /// try await bus.connect(source, to: meters)
    /// for await readings in meters.meters { for reading in readings { print(reading.source.title, reading.meter.peak) } }
    /// ```
    ///
    /// It takes no part in the graph otherwise:
    ///
    /// * Its connections make no port run. A source that is connected with nothing else stays idle, and is silent here.
    /// * The graphs of other PipeBus apps do not contain it, and their ports do not count it as a connection. Other
    ///   programs show it, such as `pw-link`.
    /// * It does not align or fade its sources, and its mix levels cannot be set.
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - channels: 1…64 channels of each source. A source with others is connected with `channels:`, as by
    ///     ``ConnectionGraph/ChannelPairing/downmix(_:)``.
    ///   - lanes: the largest number of sources at once, 1…``ReceiverPort/maximumLaneCount``, with at most 1024 channels
    ///     in all lanes.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `incompatible`, `connectionLost`, `closed`,
    ///   `timedOut`, `pipeWire`.
    public func meterReceiver(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 16
    ) async throws -> ReceiverPort {
        var declaration = try declaration(
            name, title: title, channels: channels, lanes: lanes, alignment: .immediate, fade: .none, panLaw: .balance,
            isMonitoring: false, isSeparate: true, keepsRunning: false, after: [])
        declaration.isMeter = true
        let process: @Sendable (inout Void, AudioCycle, borrowing ReceivedSources) -> Void = { _, _, _ in }
        let memory = try PortMemory(
            state: (), block: process, blockInputCount: channels.count, outputCount: 0,
            receiver: .init(laneCount: lanes, alignment: .immediate, fade: .none))
        return try await addReceiver(
            declaration, memory: memory, call: .receiver(SeparateReceiverBlockHolder(block: process)),
            channels: channels, levels: nil)
    }
}
