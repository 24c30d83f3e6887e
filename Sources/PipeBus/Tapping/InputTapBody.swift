// SPDX-License-Identifier: MIT
import RealtimeKit

private struct InputTapBodyHolder {
    let body: @Sendable (Cell<InputTapCore>, GraphCycle, () -> Void) -> Void
}

private struct InputTapBlockHolder {
    let block: @Sendable () -> Void
}

/// A cycle of a tap, which has no block of an app's.
@_noLocks
@Sendable private func runInputTap(_ core: Cell<InputTapCore>, _ cycle: GraphCycle, _ block: () -> Void) {
    core.value.take(cycle)
}

extension RealtimeCall {
    static func inputTap() -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: InputTapBodyHolder(body: runInputTap)),
            block: ClosureWords(of: InputTapBlockHolder(block: {})))
    }
}
