// SPDX-License-Identifier: MIT
import PipeWireClient

/// Jobs that run after a delay, unless the session ends before. Confined to the loop.
final class Timers {
    private let loop: PipeWireLoop
    private let jobs: JobQueue
    private var timers: [Int: LoopTimer] = [:]
    private var next = 0

    init(on loop: PipeWireLoop, jobs: JobQueue) {
        self.loop = loop
        self.jobs = jobs
    }

    /// Adds a job after a delay.
    func after(_ delay: Duration, _ job: @escaping () -> Void) {
        next += 1
        let number = next
        timers[number] = LoopTimer(on: loop, after: delay) { [unowned self] in
            // In a job, because the timer must not be released in its own callback.
            jobs.add { [weak self] in self?.fire(number, job) }
        }
    }

    private func fire(_ number: Int, _ job: () -> Void) {
        if timers.removeValue(forKey: number) != nil { job() }
    }

    func cancelAll() { timers = [:] }
}
