// SPDX-License-Identifier: MIT

// Ports without a process block. Their sound is taken and given by other threads.
extension BusClient {
    /// Adds a port that receives the mix of several sources, for threads of the app's own:
    /// ``ReceiverPort/makeCapture(minimumCapacity:)``.
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
    /// ``ReceiverPort/makeCapture(minimumCapacity:)``.
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

    /// Adds a port that sends sound from a thread of the app's own: ``SenderPort/makeWriter(format:bufferSize:liveLatency:)``.
    ///
    /// ```swift
    /// let output = try await bus.sender("out")
    /// var writer = try await output.makeWriter()
    /// ```
    ///
    /// Parameters and errors are those of
    /// ``sender(_:title:channels:latency:isFromLiveSource:keepsRunning:after:state:process:)``.
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
