// SPDX-License-Identifier: MIT

/// What an app does once per cycle. One for all of its nodes.
@unsafe struct BeforeCycleCore: ~Copyable {
    let state: UnsafeMutableRawPointer
    var gate = CycleGate()
    var tracker = CycleTracker()

    init(state: UnsafeMutableRawPointer) { unsafe self.state = unsafe state }
}

/// What one node brings to it.
@unsafe struct BeforeCycleNode {
    let core: UnsafeMutablePointer<BeforeCycleCore>
    var mark = CycleGate.Mark()
}
