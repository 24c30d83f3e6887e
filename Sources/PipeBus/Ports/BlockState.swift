// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns the value that a process block is passed from call to call, at a place that does not move. Dies on the control side,
/// when the audio thread has let go of it.
final class BlockState {
    /// The audio thread only passes its address on.
    let cell: Cell<OpaqueState>
    private let owner: any AnyObject

    init<State: ~Copyable & Sendable>(_ state: consuming State) {
        let owner = Owner(state)
        self.owner = owner
        unsafe cell = Cell(UnsafeMutableRawPointer(owner.state.cell.pointer).assumingMemoryBound(to: OpaqueState.self))
    }

    private final class Owner<State: ~Copyable> {
        let state: OwnedCells<State>
        init(_ state: consuming State) { self.state = OwnedCells(state) }
    }
}

/// The user's state, whatever it is: an `inout` of any type is an address.
struct OpaqueState {}
