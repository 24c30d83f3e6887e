// SPDX-License-Identifier: MIT
import RealtimeKit

/// What an app does once per cycle. One for all of its nodes.
struct BeforeCycleCore {
    let state: Cell<OpaqueState>
    var gate = CycleGate()
    var tracker = CycleTracker()

    init(state: Cell<OpaqueState>) { self.state = state }
}

/// What one node brings to it.
struct BeforeCycleNode {
    let core: Cell<BeforeCycleCore>
    var mark = CycleGate.Mark()

    init(core: Cell<BeforeCycleCore>) { self.core = core }
}
