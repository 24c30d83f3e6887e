// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

// Ports without a process block. Their sound is taken and given by other threads.
extension BusClient {
    /// Adds a port that receives the mix of several sources, for threads of the app's own:
    /// ``ReceiverPort/makeCapture(format:minimumCapacity:)``.
    ///
    /// ```swift
    /// let input = try await bus.receiver("in")
    /// let capture = try input.makeCapture()
    /// ```
    ///
    /// Parameters and errors are those of
    /// ``receiver(_:title:channels:lanes:alignment:fade:panLaw:isMonitoring:levels:keepsRunning:after:state:process:)``.
    public func receiver(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard, panLaw: PanLaw = .constantPower,
        isMonitoring: Bool = false, levels: SourceLevels? = nil, keepsRunning: Bool = false,
        after: [any LocalPortDesignator] = []
    ) async throws -> ReceiverPort {
        try await receiver(
            name, title: title, channels: channels, lanes: lanes, alignment: alignment, fade: fade, panLaw: panLaw,
            isMonitoring: isMonitoring, levels: levels, keepsRunning: keepsRunning, after: after, state: ()
        ) { _, _, _ in }
    }

    /// Adds a port that receives several sources, each by itself, for threads of the app's own:
    /// ``ReceiverPort/makeCapture(format:minimumCapacity:)``.
    ///
    /// Parameters and errors are those of
    /// ``separateReceiver(_:title:channels:lanes:alignment:fade:isMonitoring:keepsRunning:after:state:process:)``.
    public func separateReceiver(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard, isMonitoring: Bool = false,
        keepsRunning: Bool = false, after: [any LocalPortDesignator] = []
    ) async throws -> ReceiverPort {
        try await separateReceiver(
            name, title: title, channels: channels, lanes: lanes, alignment: alignment, fade: fade,
            isMonitoring: isMonitoring, keepsRunning: keepsRunning, after: after, state: ()
        ) { _, _, _ in }
    }

    /// Adds a port that receives the mix of several sources, and a capture that has its sound from the first cycle on.
    ///
    /// ```swift
    /// let capture = try await bus.capture("in")
    /// for await block in capture { analyse(block[0], at: block.timestamp) }
    /// ```
    ///
    /// - Parameter minimumCapacity: number of frames that the capture may lag, as of ``ReceiverPort/makeCapture(format:minimumCapacity:)``.
    ///   All other parameters are those of
    ///   ``receiver(_:title:channels:lanes:alignment:fade:panLaw:isMonitoring:levels:keepsRunning:after:state:process:)``.
    /// - Returns: the capture, with its ``Capture/port``.
    /// - Throws: as that.
    public func capture(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard, panLaw: PanLaw = .constantPower,
        isMonitoring: Bool = false, levels: SourceLevels? = nil, keepsRunning: Bool = false,
        after: [any LocalPortDesignator] = [], minimumCapacity: Int = 1 << 18
    ) async throws -> Capture {
        let declaration = try declaration(
            name, title: title, channels: channels, lanes: lanes, alignment: alignment, fade: fade, panLaw: panLaw,
            isMonitoring: isMonitoring, keepsRunning: keepsRunning, after: after)
        let process: @Sendable (inout Void, AudioCycle, borrowing ReceivedMix) -> Void = { _, _, _ in }
        let memory = try PortMemory(
            state: (), block: process, blockInputCount: channels.count, outputCount: 0,
            receiver: .init(laneCount: lanes, alignment: alignment, fade: fade))
        return try await addCapture(
            declaration, memory: memory, call: .receiver(ReceiverBlockHolder(block: process)), channels: channels,
            levels: levels, minimumCapacity: minimumCapacity)
    }

    /// Adds a port that receives several sources, and a capture that has each by itself, from the first cycle on.
    ///
    /// - Parameter minimumCapacity: number of frames of each lane that the capture may lag, as of
    ///   ``ReceiverPort/makeCapture(format:minimumCapacity:)``. All other parameters are those of
    ///   ``separateReceiver(_:title:channels:lanes:alignment:fade:isMonitoring:keepsRunning:after:state:process:)``.
    /// - Returns: the capture, with its ``Capture/port``.
    /// - Throws: as that.
    public func separateCapture(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard, isMonitoring: Bool = false,
        keepsRunning: Bool = false, after: [any LocalPortDesignator] = [], minimumCapacity: Int = 1 << 18
    ) async throws -> Capture {
        let declaration = try declaration(
            name, title: title, channels: channels, lanes: lanes, alignment: alignment, fade: fade,
            panLaw: .balance, isMonitoring: isMonitoring, isSeparate: true, keepsRunning: keepsRunning,
            after: after)
        let process: @Sendable (inout Void, AudioCycle, borrowing ReceivedSources) -> Void = { _, _, _ in }
        let memory = try PortMemory(
            state: (), block: process, blockInputCount: channels.count, outputCount: 0,
            receiver: .init(laneCount: lanes, alignment: alignment, fade: fade))
        return try await addCapture(
            declaration, memory: memory, call: .receiver(SeparateReceiverBlockHolder(block: process)),
            channels: channels, levels: nil, minimumCapacity: minimumCapacity)
    }

    private func addCapture(
        _ declaration: PortDeclaration, memory: PortMemory, call: RealtimeCall, channels: ChannelLayout,
        levels: SourceLevels?, minimumCapacity: Int
    ) async throws -> Capture {
        guard let receiver = memory.receiver else { preconditionFailure("made with a receiver's declaration") }
        // Before the port is in the graph: a patchbay may connect it at once.
        let stream = try StreamMemory.make(
            for: declaration, minimumCapacity: minimumCapacity, records: StreamMemory.records(of: minimumCapacity))
        try receiver.streams.add(stream)
        let port = try await addReceiver(
            declaration, memory: memory, call: call, channels: channels, levels: levels)
        return Capture(stream, of: receiver.streams, port: port)
    }

    /// Adds a port that sends sound from a thread of the app's own: ``SenderPort/makeWriter(format:bufferSize:liveLatency:hasOwnClock:)``.
    ///
    /// ```swift
    /// let output = try await bus.sender("out")
    /// var writer = try await output.makeWriter()
    /// ```
    ///
    /// Parameters and errors are those of
    /// ``sender(_:title:channels:latency:isFromLiveSource:blockSize:keepsRunning:after:state:process:)``.
    public func sender(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, isFromLiveSource: Bool = false,
        after: [any LocalPortDesignator] = []
    ) async throws -> SenderPort {
        let writers = WriterTable()
        let port = try await sender(
            name, title: title, channels: channels, isFromLiveSource: isFromLiveSource, after: after,
            state: WriterOutlet(writers)
        ) { outlet, cycle, output in outlet.run(cycle, &output) }
        return SenderPort(port.handle, of: self, channels: channels, writers: writers)
    }
}
