// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The audio thread's state of the block that runs once per cycle. One for all nodes of an app.
struct BeforeCycleCore: ~Copyable {
    let state: Cell<OpaqueState>
    var gate = CycleGate()
    var tracker = CycleTracker()
    /// That of the app's nodes, all of which one thread processes.
    let timeline: Cell<GraphTimeline>
    /// Incremented on the control side after a sleep of the system.
    let epoch = Atomic<UInt64>(0)

    init(state: Cell<OpaqueState>, timeline: Cell<GraphTimeline>) {
        self.state = state
        self.timeline = timeline
    }
}

/// The state of one node.
struct BeforeCycleNode {
    let core: Cell<BeforeCycleCore>
    var mark = CycleGate.Mark()

    init(core: Cell<BeforeCycleCore>) { self.core = core }
}
