// SPDX-License-Identifier: MIT
import PipeWireClient
import RealtimeKit
import Synchronization

/// Owns the block that runs once per cycle, and its state.
///
/// The client and every node that calls the block hold it. So it dies on the control side when the last of them is
/// closed.
final class BeforeCycleMemory: @unchecked Sendable {
    // @unchecked: the cell's content belongs to the audio thread while any node lives.
    fileprivate let core: OwnedCells<BeforeCycleCore>
    fileprivate let call: RealtimeCall
    private let state: BlockState
    private let block: any Sendable
    private let timeline: TimelineMemory

    init<State: ~Copyable & Sendable>(
        state: consuming State, timeline: TimelineMemory, block: @escaping @Sendable (inout State, AudioCycle) -> Void
    ) throws {
        warmUpProcessBlocks()
        self.state = try BlockState(state)
        self.block = block
        self.timeline = timeline
        call = .beforeCycle(BeforeCycleBlockHolder(block: block))
        core = OwnedCells(BeforeCycleCore(state: self.state.cell, timeline: timeline.cell))
    }

    /// Marks the next cycle as discontinuous.
    ///
    /// - Thread: the client's.
    func markDiscontinuous() { core.cell.value.epoch.add(1, ordering: .relaxed) }
}

/// Owns the state of one node.
final class BeforeCycleNodeMemory: @unchecked Sendable {
    // @unchecked: the cell's content belongs to the audio thread while the node lives.
    private let node: OwnedCells<BeforeCycleNode>
    private let whole: BeforeCycleMemory

    init(of whole: BeforeCycleMemory) {
        self.whole = whole
        node = OwnedCells(BeforeCycleNode(core: whole.core.cell))
    }

    var call: FilterNode.BeforeCall {
        unsafe FilterNode.BeforeCall(whole.call, context: UnsafeMutableRawPointer(node.cell.pointer))
    }
}
