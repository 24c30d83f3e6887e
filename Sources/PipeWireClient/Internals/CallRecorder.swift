// SPDX-License-Identifier: MIT
import Synchronization

/// Records every call into libpipewire, and can force the next one of a name to fail.
///
/// For tests of answers that no present daemon gives.
package final class CallRecorder: Sendable {
    private struct State {
        var calls: [String] = []
        /// The results of the next calls of a name; `nil` for a call that is made.
        var forced: [String: [Int32?]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The names of the calls so far, in order.
    package var calls: [String] { state.withLock { $0.calls } }

    /// Forces the next call of that name to fail with an errno, without making it. Several are used up in turn.
    ///
    /// - Parameter passed: number of calls that are made before that.
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
