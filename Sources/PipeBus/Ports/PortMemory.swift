// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns what the audio thread uses of a port: the core, the buffers, the user's state and block. It is let go only when
/// the node is closed, and dies on the control side.
final class PortMemory: @unchecked Sendable {
    // @unchecked: the core's plain fields belong to the audio thread while the node lives, its atomics to everybody.
    /// What the port's object reads atomics of, on any thread.
    let cells: PortCells
    private let samples: OwnedCells<Float>
    private let inputFades: OwnedCells<InputFades>?
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
        // Silence first, then one for each output.
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: 1 + max(inputCount, outputCount)))
        let silence = BlockPool(samples.cells).block(0, AudioCycle.maximumFrameCount)
        receiver = plan.map { plan in
            ReceiverMemory(
                laneCount: plan.laneCount, width: inputCount, alignment: plan.alignment, fade: plan.fade,
                silence: silence)
        }
        var fades: Cell<InputFades>?
        if fade == .none {
            inputFades = nil
        } else {
            let owned = OwnedCells(InputFades(count: inputCount, fade: fade, silence: silence))
            fades = owned.cell
            inputFades = consume owned
        }
        cells = PortCells(
            PortCore(
                state: self.state.cell, inputCount: inputCount, outputCount: outputCount, receiver: receiver?.core,
                inputFades: fades, silence: silence, scratch: BlockPool(samples.cells, from: 1)))
    }

    var core: Cell<PortCore> { cells.core }

    /// Gives a filter what a bypass needs.
    ///
    /// - Thread: the client's, once, before the status that is published says so.
    func keep(_ bypass: BypassMemory) {
        self.bypass = bypass
        core.value.bypass = bypass.core
    }
}
