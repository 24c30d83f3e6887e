// SPDX-License-Identifier: MIT

/// The state machine of one node. Pure: events in, the next state and an action out.
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
        /// The state that pw_filter reports, with its text.
        case reported(Reported, error: String?)
        case connectionLost(PipeWireError)
        case close
    }

    package enum Reported: Int32, Sendable { case error = -1, unconnected, connecting, paused, streaming }

    package enum Action: Equatable, Sendable {
        case none
        /// The daemon knows the node: resume the waiting call.
        case ready
        /// The daemon does not run the node any more, as when all of its peers are paused.
        case pause
        /// The node will never be ready, or is ready no longer.
        case failed(PipeWireError)
        /// Disconnect and destroy the node.
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
        // An error of a running node belongs to one of its proxies: a request was refused, and the node goes on.
        case (.paused, .reported(.error, _)), (.streaming, .reported(.error, _)): return .none
        case (_, .reported(.error, let text)):
            return fail(.nodeFailed(reason: text ?? "PipeWire gave no reason"))
        case (.connecting, .reported(.unconnected, let text)), (.paused, .reported(.unconnected, let text)),
            (.streaming, .reported(.unconnected, let text)):
            // pw_filter reports this when the daemon ends and when another client destroys the node.
            return fail(.nodeFailed(reason: text ?? "the node was removed"))
        case (.connecting, .reported(.paused, _)):
            phase = .paused
            return .ready
        case (let before, .reported(.paused, _)):
            phase = .paused
            return before == .streaming ? .pause : .none
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
