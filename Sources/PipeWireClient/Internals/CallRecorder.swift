// SPDX-License-Identifier: MIT
import Synchronization

/// Writes down every call into libpipewire, and makes the next one of a name fail. For tests: what a real daemon of
/// today cannot be brought to answer is answered here.
package final class CallRecorder: Sendable {
    private struct State {
        var calls: [String] = []
        /// What the next calls of a name come to; `nil` for one that is made as usual.
        var forced: [String: [Int32?]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The names of the calls so far, in order.
    package var calls: [String] { state.withLock { $0.calls } }

    /// Makes the next call of that name fail with an errno, without making it. Several are used up in turn.
    ///
    /// - Parameter passed: how many calls go through before that.
    package func force(_ code: Int32, for call: String, after passed: Int = 0) {
        state.withLock { state in
            state.forced[call, default: []] += Array(repeating: nil, count: passed) + [code]
        }
    }

    func record(_ call: String) -> Int32? {
        state.withLock { state in
            state.calls.append(call)
            guard var codes = state.forced[call], !codes.isEmpty else { return nil }
            let code = codes.removeFirst()
            state.forced[call] = codes
            return code
        }
    }
}
