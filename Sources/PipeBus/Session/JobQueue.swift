// SPDX-License-Identifier: MIT

/// Jobs for the client's tasks, in order.
///
/// Components need it because only the actor can start a task, and because nothing may be destroyed inside PipeWire's
/// callbacks. Confined to the loop.
final class JobQueue {
    private var jobs: [() -> Void] = []
    /// The number of jobs at the beginning of the list that have run. Taking each from the list would cost the square of their
    /// number.
    private var done = 0
    private let start: () -> Void
    private var isClosed = false

    /// - Parameter start: starts a task of the client that calls ``run()``.
    init(start: @escaping () -> Void) { self.start = start }

    /// Adds a job, unless the queue is closed. It runs in a task of its own, after the events and tasks that are waiting now.
    func add(_ job: @escaping () -> Void) {
        guard !isClosed else { return }
        jobs.append(job)
        start()
    }

    /// Runs the oldest job.
    func run() {
        guard done < jobs.count else { return }
        let job = jobs[done]
        jobs[done] = {}
        done += 1
        if done == jobs.count || done >= 64 && 2 * done > jobs.count {
            jobs.removeFirst(done)
            done = 0
        }
        job()
    }

    /// Forgets all jobs. They hold the components that added them, and those hold the queue.
    func close() {
        isClosed = true
        jobs = []
        done = 0
    }
}
