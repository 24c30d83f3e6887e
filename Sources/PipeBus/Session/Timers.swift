// SPDX-License-Identifier: MIT
import PipeWireClient

/// Jobs that are done after a while, unless the session ends before. Lives on the loop.
final class Timers {
    private let loop: PipeWireLoop
    private let jobs: JobQueue
    private var timers: [Int: LoopTimer] = [:]
    private var next = 0

    init(on loop: PipeWireLoop, jobs: JobQueue) {
        self.loop = loop
        self.jobs = jobs
    }

    /// - Parameter job: without a descriptor for the timer it is done at once.
    func after(_ delay: Duration, _ job: @escaping () -> Void) {
        next += 1
        let number = next
        let timer = LoopTimer(on: loop, after: delay) { [unowned self] in
            // The timer that is calling must not be let go of in its own call.
            jobs.add { [weak self] in self?.fire(number, job) }
        }
        timers[number] = timer
        if !timer.isArmed { jobs.add { [weak self] in self?.fire(number, job) } }
    }

    private func fire(_ number: Int, _ job: () -> Void) {
        if timers.removeValue(forKey: number) != nil { job() }
    }

    func cancelAll() { timers = [:] }
}
