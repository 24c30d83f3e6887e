// SPDX-License-Identifier: MIT

/// Owns what the audio thread uses of a port: the core, the buffers, the user's state and block. It is let go only when
/// the node is closed, and dies on the control side.
@safe final class PortMemory: @unchecked Sendable {
    // @unchecked: the core's plain fields belong to the audio thread while the node lives, its atomics to everybody.
    let core: UnsafeMutablePointer<PortCore>
    private let state: BlockState
    private let block: any Sendable
    /// What only a receiver has.
    let receiver: ReceiverMemory?
    /// What only a filter has that was bypassed.
    private var bypass: BypassMemory?

    /// What makes a receiver of a port.
    struct ReceiverPlan {
        var laneCount: Int
        var alignment: Alignment
        var fade: Fade
    }

    /// - Parameters:
    ///   - inputCount: channels that the block sees; of one lane for a receiver.
    ///   - fade: of what a filter is given.
    init<State: ~Copyable & Sendable>(
        state: consuming State, block: any Sendable, inputCount: Int, outputCount: Int,
        receiver plan: ReceiverPlan? = nil, inputFade fade: Fade = .none
    ) {
        warmUpProcessBlocks()
        self.state = BlockState(state)
        self.block = block
        let cycle = AudioCycle.maximumFrameCount
        // Silence first, then one cycle for each output.
        let bufferSamples = cycle * (1 + max(inputCount, outputCount))
        let buffers = UnsafeMutablePointer<Float>.allocate(capacity: bufferSamples)
        unsafe buffers.initialize(repeating: 0, count: bufferSamples)
        receiver = plan.map { plan in
            unsafe ReceiverMemory(
                laneCount: plan.laneCount, width: inputCount, alignment: plan.alignment, fade: plan.fade,
                silence: buffers)
        }
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(
            to: PortCore(
                state: self.state.pointer, inputCount: inputCount, outputCount: outputCount,
                silence: buffers, scratch: buffers + cycle, receiver: receiver?.core))
        guard fade != .none else { return }
        let fades = UnsafeMutablePointer<InputFades>.allocate(capacity: 1)
        unsafe fades.initialize(to: InputFades(count: inputCount, fade: fade, silence: buffers))
        unsafe core.pointee.inputFades = unsafe fades
    }

    /// Gives a filter what a bypass needs.
    ///
    /// - Thread: the client's, once, before the audio thread is told of it.
    func keep(_ bypass: BypassMemory) {
        self.bypass = bypass
        unsafe core.pointee.bypass = unsafe bypass.core
    }

    deinit {
        unsafe core.pointee.inputFades?.pointee.deallocate()
        unsafe core.pointee.inputFades?.deallocate()
        unsafe core.pointee.silence.deallocate()
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }
}
