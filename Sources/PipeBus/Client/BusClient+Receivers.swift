// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

extension BusClient {
    /// Adds a port that receives the sound of several sources and hands over their mix.
    ///
    /// ```swift
    /// let input = try await bus.receiver("in", state: ()) { _, cycle, mix in /* mix[0], mix[1] */ }
    /// ```
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - channels: 1…64 channels of the mix and of each source.
    ///   - lanes: the largest number of sources at once, 1…``ReceiverPort/maximumLaneCount``, with at most 1024 channels
    ///     in all lanes. Idle lanes cost little.
    ///   - alignment: whether sources wait for the slowest one.
    ///   - fade: the fade of sources that are connected or disconnected.
    ///   - panLaw: the law by which mono sources are panned.
    ///   - isMonitoring: whether the app plays its input; see ``ReceiverPort/setMonitoring(_:)``.
    ///   - levels: saved ``ReceiverPort/levels``; by default those of an earlier port of the name.
    ///   - keepsRunning: whether the block is called in every cycle, also while nothing is connected. By default an idle port
    ///     costs no cycles; see ``AudioCycle/isConnected``.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A port of the name may be added later; a name without a port has no effect.
    ///   - state: a value of the app's own that is passed to the block in each call.
    ///   - process: gets the mix of all sources, each at its level. Called on the audio thread once per graph cycle while
    ///     a source is connected, or always with `keepsRunning`. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `incompatible`, `connectionLost`, `closed`,
    ///   `timedOut`, `pipeWire`.
    public func receiver<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard, panLaw: PanLaw = .constantPower,
        isMonitoring: Bool = false, levels: SourceLevels? = nil, keepsRunning: Bool = false,
        after: [any LocalPortDesignator] = [],
        state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, borrowing ReceivedMix) -> Void
    ) async throws -> ReceiverPort {
        let declaration = try declaration(
            name, title: title, channels: channels, lanes: lanes, alignment: alignment, fade: fade, panLaw: panLaw,
            isMonitoring: isMonitoring, keepsRunning: keepsRunning, after: after)
        let memory = try PortMemory(
            state: state, block: process, blockInputCount: channels.count, outputCount: 0,
            receiver: .init(laneCount: lanes, alignment: alignment, fade: fade))
        return try await addReceiver(
            declaration, memory: memory, call: .receiver(ReceiverBlockHolder(block: process)), channels: channels,
            levels: levels)
    }

    /// Adds a port that receives the sound of several sources and hands over each source by itself.
    ///
    /// All sources are handed over for the same frames. They are not mixed, so they have no levels:
    /// ``ReceiverPort/setVolume(_:for:)`` and all other calls about levels throw.
    ///
    /// ```swift
    /// let tracks = try await bus.separateReceiver("in", state: ()) { _, cycle, sources in
    ///     for lane in 0..<sources.count where sources[lane] != nil { /* sources.samples(ofLane: lane, channel: 0) */ }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - channels: 1…64 channels of each source.
    ///   - lanes: the largest number of sources at once, 1…``ReceiverPort/maximumLaneCount``, with at most 1024 channels
    ///     in all lanes.
    ///   - alignment: whether sources wait for the slowest one.
    ///   - fade: the fade of sources that are connected or disconnected.
    ///   - isMonitoring: whether the app plays its input; see ``ReceiverPort/setMonitoring(_:)``.
    ///   - keepsRunning: whether the block is called in every cycle, also while nothing is connected. By default an idle port
    ///     costs no cycles; see ``AudioCycle/isConnected``.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A port of the name may be added later; a name without a port has no effect.
    ///   - state: a value of the app's own that is passed to the block in each call.
    ///   - process: gets every source with its timestamp. Called on the audio thread once per graph cycle while a source
    ///     is connected, or always with `keepsRunning`. It must not allocate, lock, wait or call into the system.
    /// - Throws: as ``receiver(_:title:channels:lanes:alignment:fade:panLaw:isMonitoring:levels:keepsRunning:after:state:process:)``.
    public func separateReceiver<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, lanes: Int = 8,
        alignment: Alignment = .synchronized, fade: Fade = .standard, isMonitoring: Bool = false,
        keepsRunning: Bool = false, after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, borrowing ReceivedSources) -> Void
    ) async throws -> ReceiverPort {
        let declaration = try declaration(
            name, title: title, channels: channels, lanes: lanes, alignment: alignment, fade: fade,
            panLaw: .balance, isMonitoring: isMonitoring, isSeparate: true, keepsRunning: keepsRunning,
            after: after)
        let memory = try PortMemory(
            state: state, block: process, blockInputCount: channels.count, outputCount: 0,
            receiver: .init(laneCount: lanes, alignment: alignment, fade: fade))
        return try await addReceiver(
            declaration, memory: memory, call: .receiver(SeparateReceiverBlockHolder(block: process)),
            channels: channels,
            levels: nil)
    }

    func addReceiver(
        _ declaration: PortDeclaration, memory: PortMemory, call: RealtimeCall, channels: ChannelLayout,
        levels: SourceLevels?
    ) async throws -> ReceiverPort {
        guard let receiver = memory.receiver else { preconditionFailure("made with a receiver's declaration") }
        // First, so that its levels can be requested from the moment at which the port appears.
        try checkOpen()
        if declaration.hasSharedLevels { await session?.sharing.start() }
        // Not if a port of the name exists: the levels are that port's.
        if let levels, !declared.contains(declaration.name) { declared.setLevels(levels, at: declaration.name) }
        let handle = try await addPort(declaration, memory: memory, call: call)
        return ReceiverPort(
            handle, of: self, channels: channels, laneCount: declaration.laneCount, isSeparate: declaration.isSeparate,
            memory: receiver)
    }

    func declaration(
        _ name: String, title: String?, channels: ChannelLayout, lanes: Int, alignment: Alignment, fade: Fade,
        panLaw: PanLaw, isMonitoring: Bool, isSeparate: Bool = false, keepsRunning: Bool,
        after: [any LocalPortDesignator]
    ) throws -> PortDeclaration {
        try PortChecks.check(channels, of: "A receiver")
        guard (1...ReceiverPort.maximumLaneCount).contains(lanes) else {
            throw PipeBusError(
                .invalidArgument, "A receiver has 1 to \(ReceiverPort.maximumLaneCount) lanes, not \(lanes).")
        }
        // Bounded, because libpipewire needs half a minute for 4096 ports of one node.
        guard lanes * channels.count <= 1024 else {
            throw PipeBusError(
                .invalidArgument,
                "A receiver has at most 1024 channels in all lanes, not \(lanes) × \(channels.count); use fewer lanes.")
        }
        if let capacity = alignment.capacity, !(0...960_000).contains(capacity) {
            throw PipeBusError(
                .invalidArgument, "A receiver can align sound that is 0 to 960000 frames old, not \(capacity).")
        }
        try PortChecks.check(fade)
        return PortDeclaration(
            kind: .receiver, name: name, title: title, inputs: channels.count * lanes, laneCount: lanes,
            after: try names(of: after),
            inputPositions: (1...lanes).flatMap { lane in channels.positions.map { "input_\(lane)_\($0)" } },
            alignment: alignment, fade: fade, panLaw: panLaw, isMonitoring: isMonitoring,
            isSeparate: isSeparate, keepsRunning: keepsRunning)
    }
}
