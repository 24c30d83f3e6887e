// SPDX-License-Identifier: MIT
import PipeWireClient

/// Polls a value often, at little cost: inside the timer's own callback, without a job. Confined to the loop.
final class LoopPoll {
    private let loop: PipeWireLoop
    private var timer: LoopTimer?
    private(set) var isRunning = false
    /// Called inside a callback of the loop, so it may destroy nothing. Returns the time until the next call; `nil` ends
    /// the polling.
    var onPoll: (() -> Duration?)?

    init(on loop: PipeWireLoop) { self.loop = loop }

    /// Starts to poll. Idempotent.
    func start(after delay: Duration) {
        guard !isRunning else { return }
        isRunning = true
        arm(after: delay)
    }

    private func arm(after delay: Duration) {
        if let timer { return timer.arm(after: delay) }
        timer = LoopTimer(on: loop, after: delay) { [unowned self] in fire() }
    }

    private func fire() {
        guard isRunning else { return }
        guard let next = onPoll?() else { return stop() }
        if isRunning { arm(after: next) }
    }

    /// Stops polling. It may be called inside a callback.
    func stop() {
        isRunning = false
        timer?.disarm()
    }

    /// Frees the timer. Not inside its callback.
    func close() {
        stop()
        timer = nil
    }
}
