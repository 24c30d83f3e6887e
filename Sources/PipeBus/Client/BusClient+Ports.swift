// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

extension BusClient {
    /// Adds a port that sends sound made by this app.
    ///
    /// ```swift
    /// let tone = try await bus.sender("out", channels: .mono, state: 0.0) { phase, cycle, output in … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - channels: 1…64 channels.
    ///   - latency: the age of the sound when the block gives it: a number of frames at the graph's rate, 0…1 048 576, or
    ///     ``PortLatency/following(_:plus:)`` for sound that comes from a receiver of this client.
    ///   - isFromLiveSource: whether the sound is recorded while it is sent, as from a microphone; see
    ///     ``SenderPort/setFromLiveSource(_:)``.
    ///   - blockSize: the number of frames of each call of the block, 1…65 536, whatever the graph's cycles are. By default a call has
    ///     the frames of a graph cycle. The block is called ahead where a cycle ends within a block: `position` and `startTime`
    ///     are those at which the first frame leaves. Nothing is late; but sound from a live source must be there so much
    ///     earlier, so that is added to `latency` and published if the sender is `isFromLiveSource` or follows a receiver.
    ///   - keepsRunning: whether the block is called in every cycle, also while nothing is connected. By default an idle port
    ///     costs no cycles; see ``AudioCycle/isConnected``.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A port of the name may be added later; a name without a port has no effect.
    ///     Without an order, sound from one port leaves at another in the same cycle or one cycle later. PipeWire treats
    ///     ports in an order as connected: they can be part of a loop, and it runs no loop of more than 33 ports.
    ///   - state: a value of the app's own that is passed to the block in each call.
    ///   - process: fills the outputs, which are silent at first. Called on the audio thread once per graph cycle while
    ///     the port is connected, or always with `keepsRunning`; as often as needed with `blockSize`. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `incompatible`, `connectionLost`, `closed`,
    ///   `timedOut`, `pipeWire`.
    public func sender<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: PortLatency = 0,
        isFromLiveSource: Bool = false, blockSize: Int? = nil, keepsRunning: Bool = false,
        after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
    ) async throws -> SenderPort {
        try PortChecks.check(channels, of: "A sender")
        try PortChecks.check(blockSize: blockSize)
        let latency = try checked(latency)
        try declared.check(latency, of: name)
        let after = try names(of: after, following: latency.receiver)
        let holder = SenderBlockHolder(block: process)
        let memory = try PortMemory(
            state: state, block: process, blockInputCount: 0, outputCount: channels.count,
            blocks: blockSize.map { BlockMemory(.sender(outputs: channels.count), blockSize: $0) })
        let declaration = PortDeclaration(
            kind: .sender, name: name, title: title, outputs: channels.count, laneCount: 0, latency: latency,
            after: after,
            outputPositions: channels.positions.map { "output_\($0)" }, isLiveSource: isFromLiveSource,
            keepsRunning: keepsRunning)
        let call: RealtimeCall = blockSize == nil ? .sender(holder) : .blockSender(holder)
        return SenderPort(
            try await addPort(declaration, memory: memory, call: call), of: self, channels: channels)
    }

    /// Adds a port that processes sound: its output is made from its input in the same graph cycle, unless `blockSize` makes it wait.
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - inputs: 1…64 channels.
    ///   - outputs: 1…64 channels; by default those of `inputs`.
    ///   - latency: the delay between the filter's input and its output, in frames at the graph's rate, 0…1 048 576.
    ///   - fade: the fade of the input against clicks. Sound that begins is faded in; sound that is cut off decays. There is
    ///     no fade while another source is connected, since PipeWire mixes the sources of an input. `none` passes every
    ///     sample unchanged.
    ///   - blockSize: the number of frames of each call of the block, 1…65 536, whatever the graph's cycles are, as for an FFT. By
    ///     default a call has the frames of a graph cycle. Gathering the frames delays the sound, by the least delay that the
    ///     cycles' length allows: by none where it is a multiple. It is added to `latency` and published; see ``FilterPort/latency``.
    ///   - keepsRunning: whether the block is called in every cycle, also while nothing is connected. By default an idle port
    ///     costs no cycles; see ``AudioCycle/isConnected``.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A port of the name may be added later; a name without a port has no effect.
    ///   - state: a value of the app's own that is passed to the block in each call.
    ///   - process: reads the inputs and fills the outputs, which are silent at first. Called on the audio thread once
    ///     per graph cycle while the port has a destination, or always with `keepsRunning`; whenever a block is full with
    ///     `blockSize`. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `incompatible`, `connectionLost`, `closed`,
    ///   `timedOut`, `pipeWire`.
    public func filter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, inputs: ChannelLayout = .stereo, outputs: ChannelLayout? = nil,
        latency: Int = 0, fade: Fade = .standard, blockSize: Int? = nil, keepsRunning: Bool = false,
        after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
    ) async throws -> FilterPort {
        let outputs = outputs ?? inputs
        try checkFilter(inputs, outputs, latency: latency, fade, blockSize: blockSize)
        let memory = try PortMemory(
            state: state, block: process, blockInputCount: inputs.count, outputCount: outputs.count, inputFade: fade,
            blocks: blockSize.map {
                BlockMemory(.filter(inputs: inputs.count, outputs: outputs.count), blockSize: $0, fade: fade)
            })
        let holder = FilterBlockHolder(block: process)
        return try await addFilter(
            name, title: title, inputs: inputs, outputs: outputs, latency: latency,
            keepsRunning: keepsRunning, after: after, memory: memory,
            call: blockSize == nil ? .filter(holder, fades: fade != .none) : .blockFilter(holder))
    }

    /// Adds a filter that processes sound in place: the block's output channels hold the input at first.
    ///
    /// ```swift
    /// let gain = try await bus.inPlaceFilter("gain", state: Float(0.5)) { gain, cycle, channels in … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; 1…128 bytes on one line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - channels: 1…64 channels in and out.
    ///   - latency: the delay between the filter's input and its output, in frames at the graph's rate, 0…1 048 576.
    ///   - fade: the fade of the input against clicks. Sound that begins is faded in; sound that is cut off decays. There is
    ///     no fade while another source is connected, since PipeWire mixes the sources of an input. `none` passes every
    ///     sample unchanged.
    ///   - blockSize: the number of frames of each call of the block, 1…65 536, whatever the graph's cycles are, as for an FFT. By
    ///     default a call has the frames of a graph cycle. Gathering the frames delays the sound, by the least delay that the
    ///     cycles' length allows: by none where it is a multiple. It is added to `latency` and published; see ``FilterPort/latency``.
    ///   - keepsRunning: whether the block is called in every cycle, also while nothing is connected. By default an idle port
    ///     costs no cycles; see ``AudioCycle/isConnected``.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names
    ///     (``LocalPort/name``). A port of the name may be added later; a name without a port has no effect.
    ///   - state: a value of the app's own that is passed to the block in each call.
    ///   - process: changes the channels, which hold the input at first and the output at the end. Called on the audio
    ///     thread once per graph cycle while the port has a destination, or always with `keepsRunning`; whenever a block is
    ///     full with `blockSize`. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `incompatible`, `connectionLost`, `closed`,
    ///   `timedOut`, `pipeWire`.
    public func inPlaceFilter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, channels: ChannelLayout = .stereo, latency: Int = 0,
        fade: Fade = .standard, blockSize: Int? = nil, keepsRunning: Bool = false,
        after: [any LocalPortDesignator] = [], state: consuming State,
        process: @escaping @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
    ) async throws -> FilterPort {
        try PortChecks.check(channels, of: "A filter")
        try PortChecks.check(latency: latency)
        try PortChecks.check(fade)
        try PortChecks.check(blockSize: blockSize)
        let memory = try PortMemory(
            state: state, block: process, blockInputCount: channels.count, outputCount: channels.count, inputFade: fade,
            blocks: blockSize.map {
                BlockMemory(.inPlaceFilter(channels: channels.count), blockSize: $0, fade: fade)
            })
        let holder = InPlaceFilterBlockHolder(block: process)
        let call: RealtimeCall = blockSize == nil ? .inPlaceFilter(holder) : .inPlaceBlockFilter(holder)
        return try await addFilter(
            name, title: title, inputs: channels, outputs: channels, latency: latency,
            keepsRunning: keepsRunning, after: after, memory: memory,
            call: call)
    }

    func checkFilter(
        _ inputs: ChannelLayout, _ outputs: ChannelLayout, latency: Int, _ fade: Fade, blockSize: Int?
    ) throws {
        try PortChecks.check(inputs, of: "A filter's input")
        try PortChecks.check(outputs, of: "A filter's output")
        try PortChecks.check(latency: latency)
        try PortChecks.check(fade)
        try PortChecks.check(blockSize: blockSize)
    }

    func addFilter(
        _ name: String, title: String?, inputs: ChannelLayout, outputs: ChannelLayout, latency: Int,
        keepsRunning: Bool, after: [any LocalPortDesignator], memory: PortMemory, call: RealtimeCall,
        auxiliaryInputs: [ReceiverPort] = []
    ) async throws -> FilterPort {
        let declaration = PortDeclaration(
            kind: .filter, name: name, title: title, inputs: inputs.count, outputs: outputs.count,
            latency: .frames(latency), after: try names(of: after),
            inputPositions: inputs.positions.map { "input_\($0)" },
            outputPositions: outputs.positions.map { "output_\($0)" }, keepsRunning: keepsRunning)
        return FilterPort(
            try await addPort(declaration, memory: memory, call: call), of: self, inputs: inputs, outputs: outputs,
            auxiliaryInputs: auxiliaryInputs)
    }

    /// Declares a port, and puts it into the graph if there is one. During an interruption the next session does so.
    func addPort(_ declaration: PortDeclaration, memory: PortMemory, call: RealtimeCall) async throws -> PortHandle {
        try checkOpen()
        let declared = try self.declared.add(declaration, memory: memory, call: call)
        do {
            // A session may begin while the port waits for its turn in another one, which has ended.
            while let session, session.connection.isOpen {
                do {
                    _ = try await session.add(declared)
                    break
                } catch {
                    guard session !== self.session || session.connection.isLost, termination.error == nil,
                        self.declared.contains(declared.handle)
                    else { throw error }
                }
            }
            try checkOpen()
            return declared.handle
        } catch {
            self.declared.forget(declared)
            throw error
        }
    }
}
