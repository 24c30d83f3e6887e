// SPDX-License-Identifier: MIT
import RealtimeKit

/// The audio thread's state of the block that runs once per cycle. One for all nodes of an app.
struct BeforeCycleCore {
    let state: Cell<OpaqueState>
    var gate = CycleGate()
    var tracker = CycleTracker()
    /// That of the app's nodes, all of which one thread processes.
    let timeline: Cell<GraphTimeline>

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
