// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
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
    ///   - after: names (``LocalPort/name``) of ports of this client, there already or not yet, whose blocks run before
    ///     this one's in each cycle. One that never comes has no effect.
    ///     Without an order what comes in at one port leaves at another up to one cycle later. With it the two are joined
    ///     where loops are concerned, and PipeWire runs none of more than 33 ports.
    ///   - state: a value of the app's own that the block is passed from call to call.
    ///   - process: fills the outputs, which are silent at first. Called on the audio thread once per graph cycle while
    ///     the port is connected. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `connectionLost`, `closed`, `timedOut`, `pipeWire`.
    public func sender<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: PortLatency = 0,
        isFromLiveSource: Bool = false, after: [String] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
    ) async throws -> SenderPort {
        try check(channels, of: "A sender")
        try check(latency, of: name)
        let holder = SenderBlockHolder(block: process)
        let memory = PortMemory(
            state: state, block: process, inputCount: 0, outputCount: channels.count)
        let declaration = PortDeclaration(
            kind: .sender, name: name, title: title, outputs: channels.count, laneCount: 0, latency: latency,
            after: after + [latency.receiver].compactMap { $0 }.filter { !after.contains($0) },
            outputPositions: channels.positions.map { "output_\($0)" }, isLiveSource: isFromLiveSource)
        let node = try await addNode(declaration, memory: memory, call: .sender(holder))
        return SenderPort(node, channels: channels)
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
    ///   - after: names (``LocalPort/name``) of ports of this client, there already or not yet, whose blocks run before
    ///     this one's in each cycle. One that never comes has no effect.
    ///   - state: a value of the app's own that the block is passed from call to call.
    ///   - process: reads the inputs and fills the outputs, which are silent at first. Called on the audio thread once
    ///     per graph cycle while the port has a destination. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `connectionLost`, `closed`, `timedOut`, `pipeWire`.
    public func filter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, inputs: ChannelLayout = .stereo, outputs: ChannelLayout? = nil,
        latency: Int = 0, fade: Fade = .standard, after: [String] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
    ) async throws -> FilterPort {
        let outputs = outputs ?? inputs
        try check(inputs, of: "A filter's input")
        try check(outputs, of: "A filter's output")
        try check(latency: latency)
        try check(fade)
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
    ///   - after: names (``LocalPort/name``) of ports of this client, there already or not yet, whose blocks run before
    ///     this one's in each cycle. One that never comes has no effect.
    ///   - state: a value of the app's own that the block is passed from call to call.
    ///   - process: changes the channels, which hold what came, to what is to go out. Called on the audio thread once per
    ///     graph cycle while the port has a destination. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `connectionLost`, `closed`, `timedOut`, `pipeWire`.
    public func inPlaceFilter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: Int = 0,
        fade: Fade = .standard, after: [String] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
    ) async throws -> FilterPort {
        try check(channels, of: "A filter")
        try check(latency: latency)
        try check(fade)
        let memory = PortMemory(
            state: state, block: process, inputCount: channels.count, outputCount: channels.count, inputFade: fade)
        let call = RealtimeCall.inPlaceFilter(InPlaceFilterBlockHolder(block: process))
        return try await addFilter(
            name, title: title, inputs: channels, outputs: channels, latency: latency, after: after, memory: memory,
            call: call)
    }

    private func addFilter(
        _ name: String, title: String?, inputs: ChannelLayout, outputs: ChannelLayout, latency: Int,
        after: [String], memory: PortMemory, call: RealtimeCall
    ) async throws -> FilterPort {
        let declaration = PortDeclaration(
            kind: .filter, name: name, title: title, inputs: inputs.count, outputs: outputs.count,
            latency: .frames(latency), after: after, inputPositions: inputs.positions.map { "input_\($0)" },
            outputPositions: outputs.positions.map { "output_\($0)" })
        let node = try await addNode(declaration, memory: memory, call: call)
        return FilterPort(node, inputs: inputs, outputs: outputs)
    }

    func check(_ channels: ChannelLayout, of what: String) throws {
        guard (1...ChannelLayout.maximumCount).contains(channels.count) else {
            throw PipeBusError(
                .invalidArgument, "\(what) has 1 to \(ChannelLayout.maximumCount) channels, not \(channels.count).")
        }
    }

    func check(_ fade: Fade) throws {
        guard (0...100_000).contains(fade.microseconds) else {
            throw PipeBusError(.invalidArgument, "A fade takes 0 to 100 milliseconds.")
        }
    }

    func check(latency: Int) throws {
        guard (0...1_048_576).contains(latency) else {
            throw PipeBusError(.invalidArgument, "A latency is 0 to 1048576 frames, not \(latency).")
        }
    }

    // MARK: What ports ask of their client

    func livePort(_ id: GraphPort.ID) throws -> LivePort {
        _ = try liveConnection()
        guard let node = ports[id] else {
            throw PipeBusError(.closed, "This port was closed before; add it again to go on.")
        }
        return node
    }

    func title(of id: GraphPort.ID) throws -> String { try livePort(id).title }

    func setTitle(_ title: String, of id: GraphPort.ID) throws {
        try Names.check(text: title, what: "A title")
        try setProperties([("node.description", title), ("media.name", title)], of: id)
        try livePort(id).title = title
    }

    /// Comes back when everybody has been told, this client too.
    func setFlag(_ key: String, to value: Bool, of id: GraphPort.ID) async throws {
        try tellFlag(key, value, of: id)
        try await waitUntilTold()
    }

    func tellFlag(_ key: String, _ value: Bool, of id: GraphPort.ID) throws {
        try setProperties([(key, value ? "true" : "false")], of: id)
    }

    /// What was said of our own ports comes back from the daemon like everything else in the graph, before its answer to
    /// this. An app that looks at the graph next is to find there what it has just said.
    func waitUntilTold() async throws {
        do throws(PipeWireError) {
            try await connection?.sync()
        } catch {
            throw PipeBusError(error)
        }
    }

    func setProperties(_ properties: [(key: String, value: String)], of id: GraphPort.ID) throws {
        let node = try livePort(id)
        do throws(PipeWireError) {
            for property in properties { try node.node.setProperty(property.key, to: property.value) }
        } catch {
            throw PipeBusError(error)
        }
    }

    func statistics(of id: GraphPort.ID) throws -> PortStatistics { try livePort(id).statistics }
}
