// SPDX-License-Identifier: MIT
import RealtimeKit

/// The place for the writer of a sender without a block, for its audio thread.
struct WriterSlot: ~Copyable {
    /// Which thread may use ``writer``.
    let ownership = CycleOwnership()
    var writer: Cell<WriterCore>?

    init() {}

    /// Fills a cycle, if there is a writer. The output is silent otherwise.
    @_noLocks
    func run(_ cycle: AudioCycle, _ output: inout OutputChannels) {
        guard ownership.acquireForCycle() else { return }
        if let writer { writer.value.run(cycle, &output) }
        ownership.release()
    }
}
