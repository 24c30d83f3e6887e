// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

/// Owns the audio thread's memory of a port: the core, the buffers, the user's state and block.
///
/// It is released only when the node is closed, and dies on the control side.
final class PortMemory: @unchecked Sendable {
    // @unchecked: the core's plain fields belong to the audio thread while the node lives; its atomics are for any thread.
    /// The core, of which the port's object reads atomics on any thread.
    let cells: PortCells
    private let samples: OwnedCells<Float>
    private let inputFades: OwnedCells<FilterInputFades>?
    private let state: BlockState
    private let block: any Sendable
    /// The part of a receiver.
    let receiver: ReceiverMemory?
    /// The part of a port whose block has a fixed size.
    let blocks: BlockMemory?
    /// The part of a filter with auxiliary inputs.
    let auxiliaries: AuxiliaryMemory?
    /// The part of a filter that was bypassed.
    private var bypass: BypassMemory?
    /// The part of a filter of which sources were exchanged.
    private var tap: InputTapMemory?
    /// The fade of a filter's input.
    let inputFade: Fade
    /// The timeline of the port's node.
    private var timeline = TimelineMemory()

    /// The part of a declaration that makes the port a receiver.
    struct ReceiverPlan {
        var laneCount: Int
        var alignment: Alignment
        var fade: Fade
    }

    /// - Parameters:
    ///   - blockInputCount: number of the block's input channels; for a receiver those of one lane.
    ///   - fade: the fade of a filter's input.
    ///   - blocks: the part of a sender or filter whose block has a fixed size.
    ///   - auxiliaries: the part of a filter with auxiliary inputs.
    init<State: ~Copyable & Sendable>(
        state: consuming State, block: any Sendable, blockInputCount: Int, outputCount: Int,
        receiver plan: ReceiverPlan? = nil, inputFade fade: Fade = .none, blocks: BlockMemory? = nil,
        auxiliaries: AuxiliaryMemory? = nil
    ) throws {
        warmUpProcessBlocks()
        self.state = try BlockState(state)
        self.block = block
        self.blocks = blocks
        self.auxiliaries = auxiliaries
        inputFade = fade
        // Silence first, then a block for each output.
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: 1 + max(blockInputCount, outputCount)))
        let silence = BlockPool(samples.cells).block(0, AudioCycle.maximumFrameCount)
        receiver = plan.map { plan in
            ReceiverMemory(
                laneCount: plan.laneCount, width: blockInputCount, alignment: plan.alignment, fade: plan.fade,
                silence: silence)
        }
        var fades: Cell<FilterInputFades>?
        if fade == .none {
            inputFades = nil
        } else {
            let owned = OwnedCells(FilterInputFades(count: blockInputCount, fade: fade, silence: silence))
            fades = owned.cell
            inputFades = consume owned
        }
        let load = OwnedCells(crt_load())
        let xruns = XrunMemory()
        cells = PortCells(
            PortCore(
                timeline: timeline.cell, state: self.state.cell, blockInputCount: blockInputCount,
                outputCount: outputCount, load: load.cell, receiver: receiver?.core, inputFades: fades,
                silence: silence,
                scratch: BlockPool(samples.cells, from: 1), xruns: xruns.ring),
            load: load, xruns: xruns)
        core.value.senderBlocks = blocks?.sender
        core.value.filterBlocks = blocks?.filter
        core.value.auxiliaries = auxiliaries?.core
    }

    deinit {
        // No node calls the port any more.
        receiver?.streams.finish()
    }

    var core: Cell<PortCore> { cells.core }

    /// Whether the audio thread may add latency to what the app declares.
    var addsLatency: Bool { blocks != nil || auxiliaries != nil }

    /// Lets the port take its time from a timeline.
    ///
    /// - Thread: the client's, before the node's first cycle.
    func follow(_ timeline: TimelineMemory) {
        self.timeline = timeline
        core.value.timeline = timeline.cell
    }

    /// Marks the port's next cycle as discontinuous. The time until then is not missed.
    ///
    /// - Thread: the client's.
    func markDiscontinuous() { core.value.connectionEpoch.add(1, ordering: .relaxed) }

    /// Adds the memory of a filter's bypass.
    ///
    /// - Thread: the client's, once, before a status that shows a bypass is published.
    func keep(_ bypass: BypassMemory) {
        self.bypass = bypass
        core.value.bypass = bypass.core
    }

    /// Adds the memory of a filter's tap.
    ///
    /// - Thread: the client's, once, before a status that shows an exchange is published.
    func keep(_ tap: InputTapMemory) {
        self.tap = tap
        core.value.tap = tap.core
    }
}
