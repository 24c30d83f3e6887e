// SPDX-License-Identifier: MIT
import Synchronization

/// The file of a render, for whoever ends it.
final class MadeOutput: Sendable {
    private struct State {
        var output: RenderOutput?
        var isDiscarded = false
    }

    private let state = Mutex(State())

    func keep(_ output: RenderOutput) throws -> RenderOutput {
        try state.withLock { state in
            guard !state.isDiscarded else {
                output.discard()
                throw CancellationError()
            }
            state.output = output
            return output
        }
    }

    /// Removes the file that was made, and any that is made from now on.
    func discard() {
        state.withLock { state in
            state.isDiscarded = true
            state.output?.discard()
        }
    }
}
