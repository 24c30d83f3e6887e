// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns the state that a process block is passed from call to call, at an address that does not change. It dies on the
/// control side, when the audio thread no longer uses it.
final class BlockState {
    /// The address, which the audio thread only passes on.
    let cell: Cell<OpaqueState>
    private let owner: any AnyObject

    /// - Throws: ``PipeBusError`` `invalidArgument` for a function, or a tuple or optional with one.
    init<State: ~Copyable & Sendable>(_ state: consuming State) throws {
        // Swift keeps a function in generic code in another form than in the block. For an `inout` it would make a new one of the
        // old one before the call and after it, so memory would be allocated in every cycle, and the calls within each other
        // would grow in number until the stack is full.
        guard !TypeName.hasFunction(TypeName.of(State.self)) else {
            throw PipeBusError(
                .invalidArgument,
                "The state of a process block cannot be a function, or a tuple or optional with one; put it into a struct."
            )
        }
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
