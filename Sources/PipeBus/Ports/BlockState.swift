// SPDX-License-Identifier: MIT

/// Owns the value that a process block is passed from call to call, at a place that does not move. Dies on the control side,
/// when the audio thread has let go of it.
@safe final class BlockState {
    let pointer: UnsafeMutableRawPointer
    private let destroy: () -> Void

    init<State: ~Copyable & Sendable>(_ state: consuming State) {
        let place = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe place.initialize(to: state)
        unsafe pointer = UnsafeMutableRawPointer(place)
        destroy = {
            unsafe place.deinitialize(count: 1)
            unsafe place.deallocate()
        }
    }

    deinit { destroy() }
}
