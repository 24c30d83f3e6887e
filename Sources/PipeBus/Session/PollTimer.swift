// SPDX-License-Identifier: MIT
import PipeWireClient

/// A timer that polls a value which changes without an event. Confined to the loop.
final class PollTimer {
    private let loop: PipeWireLoop
    private let jobs: JobQueue
    private var timer: LoopTimer?

    init(on loop: PipeWireLoop, jobs: JobQueue) {
        self.loop = loop
        self.jobs = jobs
    }

    var isRunning: Bool { timer != nil }

    /// Starts to poll. Idempotent.
    ///
    /// - Parameter poll: called in a job. Returns the time until the next call; `nil` stops the timer.
    func start(after delay: Duration, _ poll: @escaping () -> Duration?) {
        if timer == nil { arm(delay, poll) }
    }

    func stop() { timer = nil }

    private func arm(_ delay: Duration, _ poll: @escaping () -> Duration?) {
        timer = LoopTimer(on: loop, after: delay) { [unowned self] in
            // In a job, because the timer must not be released in its own callback.
            let fired = timer
            jobs.add { [weak self] in self?.fire(fired, poll) }
        }
    }

    private func fire(_ fired: LoopTimer?, _ poll: @escaping () -> Duration?) {
        // The timer may have been stopped, or started again, in between.
        guard timer === fired, fired != nil else { return }
        guard let next = poll() else { return stop() }
        // The call itself may have stopped the timer.
        if timer === fired { arm(next, poll) }
    }
}
