// SPDX-License-Identifier: MIT
import PipeBusTesting
import Synchronization

/// Makes a call every few milliseconds, and measures how long each takes.
final class CallWatch: Sendable {
    private struct State {
        var isEnded = false
        var count = 0
        var longest = Duration.zero
    }

    private let state = Mutex(State())
    private let call: @Sendable () async -> Void

    init(_ call: @escaping @Sendable () async -> Void) {
        self.call = call
        Task { await self.run() }
    }

    private func run() async {
        while !state.withLock({ $0.isEnded }) {
            let start = ContinuousClock.now
            await call()
            let time = start.duration(to: .now)
            state.withLock { state in
                state.count += 1
                state.longest = max(state.longest, time)
            }
            let next = ContinuousClock.now.advanced(by: .milliseconds(20))
            try? await eventually("the next call to be due") { .now >= next }
        }
    }

    /// - Returns: the number of calls so far, and the longest.
    func end() -> (count: Int, longest: Duration) {
        state.withLock { state in
            state.isEnded = true
            return (state.count, state.longest)
        }
    }
}
