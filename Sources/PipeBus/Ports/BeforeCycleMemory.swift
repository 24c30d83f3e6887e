// SPDX-License-Identifier: MIT
import PipeWireClient
import RealtimeKit

/// Owns the block that runs once per cycle, and its state. Held by the client and by every node that calls it, so it dies
/// on the control side when the last of them is closed.
@safe final class BeforeCycleMemory: @unchecked Sendable {
    // @unchecked: what the pointer leads to belongs to the audio thread while any node lives.
    fileprivate let core: UnsafeMutablePointer<BeforeCycleCore>
    fileprivate let call: RealtimeCall
    private let state: BlockState
    private let block: any Sendable

    init<State: ~Copyable & Sendable>(
        state: consuming State, block: @escaping @Sendable (inout State, AudioCycle) -> Void
    ) {
        warmUpProcessBlocks()
        self.state = BlockState(state)
        self.block = block
        call = .beforeCycle(BeforeCycleBlockHolder(block: block))
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(to: BeforeCycleCore(state: self.state.pointer))
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }
}

/// One node's part of it.
@safe final class BeforeCycleNodeMemory: @unchecked Sendable {
    // @unchecked: as above.
    private let node: UnsafeMutablePointer<BeforeCycleNode>
    private let whole: BeforeCycleMemory

    init(of whole: BeforeCycleMemory) {
        self.whole = whole
        unsafe node = .allocate(capacity: 1)
        unsafe node.initialize(to: BeforeCycleNode(core: whole.core))
    }

    deinit { unsafe node.deallocate() }

    var call: FilterNode.BeforeCall {
        unsafe FilterNode.BeforeCall(whole.call, context: UnsafeMutableRawPointer(node))
    }
}
