// SPDX-License-Identifier: MIT
import DesktopSupport
import Synchronization

/// What an action reports until it is taken: the latest progress, and one response.
///
/// - Thread: any.
final class ActionReports: Sendable {
    private struct State {
        var fraction: Double?
        var isWaiting = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Takes note of a progress. Values that are none are a sign of life.
    ///
    /// - Returns: whether it is to be taken: an earlier one does not wait.
    func note(_ values: [DBusValue]) -> Bool {
        state.withLock { state in
            if case .double(let fraction)? = values.first, fraction.isFinite {
                state.fraction = min(max(fraction, 0), 1)
            }
            defer { state.isWaiting = true }
            return !state.isWaiting && !state.hasEnded
        }
    }

    /// Takes the latest progress; `nil` if there is no new one.
    func take() -> Double? {
        state.withLock { state in
            state.isWaiting = false
            return state.fraction.take()
        }
    }

    /// - Returns: whether it is the first response.
    func end() -> Bool {
        state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
    }
}
