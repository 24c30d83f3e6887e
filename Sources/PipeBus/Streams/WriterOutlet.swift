// SPDX-License-Identifier: MIT
import RealtimeKit

/// The state of a sender without a block.
struct WriterOutlet: ~Copyable, @unchecked Sendable {
    // @unchecked: the audio thread alone uses the slot, which is made for it and the control side. A class in a struct is not touched on the audio thread.
    private let owner: WriterTable
    private let slot: Cell<WriterSlot>

    init(_ owner: WriterTable) {
        self.owner = owner
        slot = owner.slot
    }

    @_noLocks
    mutating func run(_ cycle: AudioCycle, _ output: inout OutputChannels) { slot.value.run(cycle, &output) }

    deinit { owner.close() }
}
