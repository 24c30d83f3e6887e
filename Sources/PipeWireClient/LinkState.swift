// SPDX-License-Identifier: MIT
import Glibc

/// The state machine of one link proxy. Pure, so that events that no present daemon sends can be tested.
package struct LinkState: Equatable, Sendable {
    package enum Event: Equatable, Sendable {
        /// The link's own state, -2 error … 4 active, and its text.
        case state(Int32, error: String?)
        /// The factory's answer on the proxy, with a positive errno.
        case refused(code: Int32, message: String)
        case removed
        case connectionLost(PipeWireError)
    }

    package enum Outcome: Equatable, Sendable {
        case active
        case failed(PipeWireError)
    }

    /// `nil` while the link is being made.
    package private(set) var outcome: Outcome?

    private let isPassive: Bool

    /// - Parameter isPassive: whether the link makes no node run. Then it is made once it is paused: between two idle nodes it stays so.
    package init(isPassive: Bool = false) { self.isPassive = isPassive }

    /// Returns the outcome if this event decided it.
    package mutating func handle(_ event: Event) -> Outcome? {
        let before = outcome
        switch event {
        case .state(4, _): outcome = .active
        case .state(3, _) where isPassive: outcome = .active
        case .state(-2, let text): outcome = .failed(.negotiationFailed(reason: text ?? "PipeWire gave no reason"))
        case .state(-1, _): outcome = .failed(.linkRemoved)
        case .state: break
        case .refused(let code, let message): outcome = .failed(Self.error(code: code, message: message))
        case .removed:
            // The daemon removes a link that failed. The first reason says more.
            if case .failed = outcome { break }
            outcome = .failed(.linkRemoved)
        case .connectionLost(let error): outcome = .failed(error)
        }
        return outcome == before ? nil : outcome
    }

    private static func error(code: Int32, message: String) -> PipeWireError {
        switch code {
        case EEXIST: .linkExists
        case EPERM, EACCES: .linkRefused(reason: message)
        case EINVAL where message.contains("unknown"), ENOENT: .badPort(reason: message)
        default: .negotiationFailed(reason: message)
        }
    }
}
