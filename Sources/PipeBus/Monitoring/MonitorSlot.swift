// SPDX-License-Identifier: MIT
import RealtimeKit

/// The place for the monitor of a receiver, for its audio thread.
struct MonitorSlot: ~Copyable {
    /// Which thread may use ``monitor``.
    let ownership = CycleOwnership()
    var monitor: Cell<MonitorCore>?

    init() {}

    /// Hands a cycle over to the monitor, if there is one.
    @_noLocks
    func store(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        guard ownership.acquireForCycle() else { return }
        if let monitor { monitor.value.store(receiver, cycle) }
        ownership.release()
    }
}
