// SPDX-License-Identifier: MIT
package import PipeBus

/// The sentences of a tool about the states of its client. Pure.
///
/// | reason of the interruption | at its beginning | at its end |
/// | --- | --- | --- |
/// | `noDriver` | none: a notice says it | none |
/// | `overloaded`, `suspended` | the reason | none |
/// | `notResponding` | the reason | that PipeWire answers again |
/// | any other: the connection is lost | the reason, and that the tool tries to connect again | that it is connected again |
package struct StateSentences: Sendable {
    private enum Interruption { case silence, loss }

    private var interruption: Interruption?
    private var start = ContinuousClock.now

    package init() {}

    /// The sentence about a new state; `nil` if there is nothing to say.
    package mutating func sentence(for state: BusClient.State, at now: ContinuousClock.Instant = .now) -> String? {
        switch state {
        case .interrupted(let reason): sentence(for: reason, at: now)
        case .running: sentenceAtTheEnd(now)
        default: nil
        }
    }

    private mutating func sentence(for reason: StateReason, at now: ContinuousClock.Instant) -> String? {
        switch reason.kind {
        case .noDriver: return nil
        case .overloaded, .suspended: return reason.message
        case .notResponding:
            return begin(.silence, at: now) ? reason.message : nil
        case .daemonGone:
            // The reason says that the app connects again.
            return begin(.loss, at: now) ? reason.message : nil
        default:
            return begin(.loss, at: now) ? "\(reason.message) Trying to connect again" : nil
        }
    }

    /// - Returns: whether there is something new to say. The reason of a lost connection may become known more exactly, which
    ///   is nothing new.
    private mutating func begin(_ new: Interruption, at now: ContinuousClock.Instant) -> Bool {
        if interruption == nil { start = now }
        guard interruption == nil || interruption == .silence && new == .loss else { return false }
        interruption = new
        return true
    }

    private mutating func sentenceAtTheEnd(_ now: ContinuousClock.Instant) -> String? {
        guard let interruption else { return nil }
        self.interruption = nil
        switch interruption {
        // When it stopped answering is not known.
        case .silence: return "PipeWire answers again"
        case .loss:
            return "Connected to PipeWire again, after \(Decimal.text((now - start) / .seconds(1), digits: 1)) s"
        }
    }
}
