// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

extension BusClient {
    /// Adds a port that offers sound.
    ///
    /// ```swift
    /// let tone = try await bus.sender("out", channels: .mono, state: 0.0) { phase, cycle, output in … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: what people see; the app's and the port's name unless given.
    ///   - channels: 1…64 channels.
    ///   - latency: how old the sound is when the block gives it: a number of frames at the graph's rate, 0…1 048 576, or
    ///     ``PortLatency/following(_:plus:)`` for sound that comes from a receiver of this client.
    ///   - isFromLiveSource: whether the sound is being recorded while it is given, as from a microphone; see
    ///     ``SenderPort/setFromLiveSource(_:)``.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A name may be of a port that is added later; one that never comes has no effect.
    ///     Without an order what comes in at one port leaves at another up to one cycle later. With it the two are joined
    ///     where loops are concerned, and PipeWire runs none of more than 33 ports.
    ///   - state: a value of the app's own that the block is passed from call to call.
    ///   - process: fills the outputs, which are silent at first. Called on the audio thread once per graph cycle while
    ///     the port is connected. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `connectionLost`, `closed`, `timedOut`, `pipeWire`.
    public func sender<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: PortLatency = 0,
        isFromLiveSource: Bool = false, after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
    ) async throws -> SenderPort {
        try PortChecks.check(channels, of: "A sender")
        let latency = try checked(latency)
        try live().check(latency, of: name)
        let after = try names(of: after, following: latency.receiver)
        let holder = SenderBlockHolder(block: process)
        let memory = PortMemory(
            state: state, block: process, inputCount: 0, outputCount: channels.count)
        let declaration = PortDeclaration(
            kind: .sender, name: name, title: title, outputs: channels.count, laneCount: 0, latency: latency,
            after: after,
            outputPositions: channels.positions.map { "output_\($0)" }, isLiveSource: isFromLiveSource)
        return SenderPort(
            try await addPort(declaration, memory: memory, call: .sender(holder)), of: self, channels: channels)
    }

    /// Adds a port that takes sound and gives other sound for it in the same graph cycle.
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: what people see; the app's and the port's name unless given.
    ///   - inputs: 1…64 channels.
    ///   - outputs: 1…64 channels; as many as inputs unless given.
    ///   - latency: how much later the sound comes out than it went in, in frames at the graph's rate, 0…1 048 576.
    ///   - fade: what takes the click out of what comes: it is faded in where it begins, and dies away where it is cut off.
    ///     Not while something else is connected, since PipeWire adds up what meets at an input. `none` takes every sample
    ///     as it is.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A name may be of a port that is added later; one that never comes has no effect.
    ///   - state: a value of the app's own that the block is passed from call to call.
    ///   - process: reads the inputs and fills the outputs, which are silent at first. Called on the audio thread once
    ///     per graph cycle while the port has a destination. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `connectionLost`, `closed`, `timedOut`, `pipeWire`.
    public func filter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, inputs: ChannelLayout = .stereo, outputs: ChannelLayout? = nil,
        latency: Int = 0, fade: Fade = .standard, after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
    ) async throws -> FilterPort {
        let outputs = outputs ?? inputs
        try PortChecks.check(inputs, of: "A filter's input")
        try PortChecks.check(outputs, of: "A filter's output")
        try PortChecks.check(latency: latency)
        try PortChecks.check(fade)
        let memory = PortMemory(
            state: state, block: process, inputCount: inputs.count, outputCount: outputs.count, inputFade: fade)
        return try await addFilter(
            name, title: title, inputs: inputs, outputs: outputs, latency: latency, after: after, memory: memory,
            call: .filter(FilterBlockHolder(block: process), fades: fade != .none))
    }

    /// Adds a port that changes sound in place: the block finds what came in the channels that it gives.
    ///
    /// ```swift
    /// let gain = try await bus.inPlaceFilter("gain", state: Float(0.5)) { gain, cycle, channels in … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: what people see; the app's and the port's name unless given.
    ///   - channels: 1…64 channels in and out.
    ///   - latency: how much later the sound comes out than it went in, in frames at the graph's rate, 0…1 048 576.
    ///   - fade: what takes the click out of what comes: it is faded in where it begins, and dies away where it is cut off.
    ///     Not while something else is connected, since PipeWire adds up what meets at an input. `none` takes every sample
    ///     as it is.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A name may be of a port that is added later; one that never comes has no effect.
    ///   - state: a value of the app's own that the block is passed from call to call.
    ///   - process: changes the channels, which hold what came, to what is to go out. Called on the audio thread once per
    ///     graph cycle while the port has a destination. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `connectionLost`, `closed`, `timedOut`, `pipeWire`.
    public func inPlaceFilter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: Int = 0,
        fade: Fade = .standard, after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
    ) async throws -> FilterPort {
        try PortChecks.check(channels, of: "A filter")
        try PortChecks.check(latency: latency)
        try PortChecks.check(fade)
        let memory = PortMemory(
            state: state, block: process, inputCount: channels.count, outputCount: channels.count, inputFade: fade)
        let call = RealtimeCall.inPlaceFilter(InPlaceFilterBlockHolder(block: process))
        return try await addFilter(
            name, title: title, inputs: channels, outputs: channels, latency: latency, after: after, memory: memory,
            call: call)
    }

    private func addFilter(
        _ name: String, title: String?, inputs: ChannelLayout, outputs: ChannelLayout, latency: Int,
        after: [any LocalPortDesignator], memory: PortMemory, call: RealtimeCall
    ) async throws -> FilterPort {
        let declaration = PortDeclaration(
            kind: .filter, name: name, title: title, inputs: inputs.count, outputs: outputs.count,
            latency: .frames(latency), after: try names(of: after),
            inputPositions: inputs.positions.map { "input_\($0)" },
            outputPositions: outputs.positions.map { "output_\($0)" })
        return FilterPort(
            try await addPort(declaration, memory: memory, call: call), of: self, inputs: inputs, outputs: outputs)
    }

    /// Declares a port and puts it into the graph.
    func addPort(_ declaration: PortDeclaration, memory: PortMemory, call: RealtimeCall) async throws -> PortHandle {
        let session = try live()
        let declared = try self.declared.add(declaration, memory: memory, call: call)
        do {
            _ = try await session.add(declared)
            return declared.handle
        } catch {
            self.declared.forget(declared)
            throw error
        }
    }
}
