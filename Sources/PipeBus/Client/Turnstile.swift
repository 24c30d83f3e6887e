// SPDX-License-Identifier: MIT

/// Lets the actor's tasks through one at a time, in order: an actor alone does not, since others run at every `await`.
struct Turnstile {
    private var isBusy = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// `true` when the caller may go on at once; otherwise it is to wait with ``wait(_:)``.
    mutating func tryEnter() -> Bool {
        if isBusy { return false }
        isBusy = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { queue.append(continuation) }

    /// Hands the turn to the next one.
    mutating func leave() {
        if queue.isEmpty { isBusy = false } else { queue.removeFirst().resume() }
    }
}
