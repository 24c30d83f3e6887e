// SPDX-License-Identifier: MIT

/// The life of one node, as a pure state machine: events in, the next state and what to do out.
///
///     unconnected ─connect→ connecting ─paused→ paused ⇄ streaming
///                               │                 │          │
///                               └────── error ────┴──────────┴──→ failed
///     any ─close→ closed
package struct FilterNodeState: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        case unconnected, connecting, paused, streaming
        case failed(PipeWireError)
        case closed
    }

    package enum Event: Equatable, Sendable {
        case connect
        /// pw_filter's own state, with the text that came with it.
        case reported(Reported, error: String?)
        case connectionLost(PipeWireError)
        case close
    }

    package enum Reported: Int32, Sendable { case error = -1, unconnected, connecting, paused, streaming }

    package enum Action: Equatable, Sendable {
        case none
        /// The node exists for the daemon: whoever waits for that goes on.
        case ready
        /// It never will, or does no longer.
        case failed(PipeWireError)
        /// Disconnect and destroy it.
        case tearDown
    }

    package private(set) var phase = Phase.unconnected

    package init() {}

    package mutating func handle(_ event: Event) -> Action {
        switch (phase, event) {
        case (.closed, _): return .none
        case (_, .close):
            phase = .closed
            return .tearDown
        case (.failed, _): return .none
        case (.unconnected, .connect):
            phase = .connecting
            return .none
        case (_, .connect): return .none
        case (_, .connectionLost(let error)): return fail(error)
        case (.unconnected, .reported): return .none
        // An error of a node that runs is one of its proxy: some request was refused, and the node goes on.
        case (.paused, .reported(.error, _)), (.streaming, .reported(.error, _)): return .none
        case (_, .reported(.error, let text)):
            return fail(.nodeFailed(reason: text ?? "PipeWire gave no reason"))
        case (.connecting, .reported(.unconnected, let text)), (.paused, .reported(.unconnected, let text)),
            (.streaming, .reported(.unconnected, let text)):
            // pw_filter ends here when the daemon dies and when somebody destroys the node.
            return fail(.nodeFailed(reason: text ?? "the node was removed"))
        case (.connecting, .reported(.paused, _)):
            phase = .paused
            return .ready
        case (_, .reported(.paused, _)):
            phase = .paused
            return .none
        case (let before, .reported(.streaming, _)):
            phase = .streaming
            return before == .connecting ? .ready : .none
        case (_, .reported(.connecting, _)): return .none
        }
    }

    private mutating func fail(_ error: PipeWireError) -> Action {
        phase = .failed(error)
        return .failed(error)
    }
}
