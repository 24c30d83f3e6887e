// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns the state that a process block is passed from call to call, at an address that does not change. It dies on the
/// control side, when the audio thread no longer uses it.
final class BlockState {
    /// The address, which the audio thread only passes on.
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

/// The user's state of any type: an `inout` of any type is an address.
struct OpaqueState {}
