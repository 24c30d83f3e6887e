// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

extension BusClient {
    /// Adds a filter with auxiliary inputs, as a compressor that another sound controls (a side-chain).
    ///
    /// ```swift
    /// let duck = try await bus.filter("duck", auxiliaryInputs: [AuxiliaryInput("key", channels: .mono)], state: Ducker()) {
    ///     ducker, cycle, input, auxiliary, output in
    ///     let key = auxiliary[0]
    ///     …
    /// }
    /// try await bus.connect("Kick", to: duck.auxiliaryInputs[0])
    /// ```
    ///
    /// Each auxiliary input is a receiver of this app, named after the filter: "duck.key" here, and "App.duck.key" in the graph. It
    /// runs before the filter in each cycle, so its sound is that of the filter's own cycle. It is closed with the filter.
    ///
    /// Sound that is connected to it is not the filter's input: a bypass does not pass it on, and it does not count as a source of the
    /// filter's sound in the rules for apps that hear themselves.
    ///
    /// - Parameters:
    ///   - name: unique within the app and the same at every start; with the name of an auxiliary input and a dot 1…128 bytes on one
    ///     line, without ":" and "/".
    ///   - title: the name shown to people; by default the app's and the port's name.
    ///   - inputs: 1…64 channels.
    ///   - outputs: 1…64 channels; by default those of `inputs`.
    ///   - auxiliaryInputs: 1…16 inputs. The block gets them by their index.
    ///   - latency: the delay between the filter's input and its output, in frames at the graph's rate, 0…1 048 576.
    ///   - fade: the fade of the input against clicks, as of a filter without auxiliary inputs.
    ///   - blockSize: the number of frames of each call of the block, 1…65 536, as of a filter without auxiliary inputs.
    ///   - keepsRunning: whether the block is called in every cycle, also while nothing is connected.
    ///   - after: ports of this client whose blocks run before this one's in each cycle, or their names.
    ///   - state: a value of the app's own that is passed to the block in each call.
    ///   - process: reads the inputs and fills the outputs, which are silent at first. Called on the audio thread once
    ///     per graph cycle while the port has a destination, or always with `keepsRunning`; whenever a block is full with
    ///     `blockSize`. It must not allocate, lock, wait or call into the system.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `incompatible`, `connectionLost`, `closed`,
    ///   `timedOut`, `pipeWire`. No port is left then.
    public func filter<State: ~Copyable & Sendable>(
        _ name: String, title: String? = nil, inputs: ChannelLayout = .stereo, outputs: ChannelLayout? = nil,
        auxiliaryInputs: [AuxiliaryInput], latency: Int = 0, fade: Fade = .standard, blockSize: Int? = nil,
        keepsRunning: Bool = false, after: [any LocalPortDesignator] = [], state: consuming State,
        process:
            @escaping @Sendable (
                inout State, AudioCycle, borrowing InputChannels, borrowing AuxiliaryChannels, inout OutputChannels
            ) -> Void
    ) async throws -> FilterPort {
        let outputs = outputs ?? inputs
        try checkFilter(inputs, outputs, latency: latency, fade, blockSize: blockSize)
        try Names.check(name: name, of: "a port")
        let declarations = try auxiliaryInputs.map { try declaration($0, of: name, title: title) }
        guard (1...AuxiliaryInput.maximumCount).contains(auxiliaryInputs.count) else {
            throw PipeBusError(
                .invalidArgument,
                "A filter has 1 to \(AuxiliaryInput.maximumCount) auxiliary inputs, not \(auxiliaryInputs.count).")
        }
        let auxiliaries = AuxiliaryMemory(inputCount: inputs.count, auxiliaryInputs)
        let shape = BlockMemory.Shape.filter(
            inputs: inputs.count + auxiliaries.channelCount, outputs: outputs.count)
        let memory = try PortMemory(
            state: state, block: process, blockInputCount: inputs.count, outputCount: outputs.count, inputFade: fade,
            blocks: blockSize.map { BlockMemory(shape, blockSize: $0, fade: fade) }, auxiliaries: auxiliaries)
        var receivers: [ReceiverPort] = []
        do {
            for (index, declaration) in declarations.enumerated() {
                receivers.append(
                    try await addReceiver(
                        declaration, of: auxiliaries, index, channels: auxiliaryInputs[index].channels))
            }
            return try await addFilter(
                name, title: title, inputs: inputs, outputs: outputs, latency: latency, keepsRunning: keepsRunning,
                after: after + receivers, memory: memory,
                call: .auxiliaryFilter(AuxiliaryFilterBlockHolder(block: process)), auxiliaryInputs: receivers)
        } catch {
            for receiver in receivers { await receiver.close() }
            throw error
        }
    }

    private func declaration(
        _ input: AuxiliaryInput, of filter: String, title: String?
    ) throws -> PortDeclaration {
        try Names.check(name: input.name, of: "an auxiliary input")
        var declaration = try declaration(
            "\(filter).\(input.name)", title: input.title ?? "\(title ?? "\(declared.app) \(filter)") \(input.name)",
            channels: input.channels, lanes: input.lanes, alignment: input.alignment, fade: input.fade,
            panLaw: .balance, isMonitoring: false, keepsRunning: false, after: [])
        declaration.auxiliaryOf = filter
        return declaration
    }

    private func addReceiver(
        _ declaration: PortDeclaration, of auxiliaries: AuxiliaryMemory, _ index: Int, channels: ChannelLayout
    ) async throws -> ReceiverPort {
        let process: @Sendable (inout AuxiliaryOutlet, AudioCycle, borrowing ReceivedMix) -> Void = {
            outlet, cycle, mix in outlet.run(cycle, mix)
        }
        let memory = try PortMemory(
            state: AuxiliaryOutlet(auxiliaries, index), block: process, blockInputCount: channels.count, outputCount: 0,
            receiver: .init(
                laneCount: declaration.laneCount, alignment: declaration.alignment, fade: declaration.fade))
        return try await addReceiver(
            declaration, memory: memory, call: .receiver(ReceiverBlockHolder(block: process)), channels: channels,
            levels: nil)
    }
}
