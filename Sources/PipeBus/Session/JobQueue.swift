// SPDX-License-Identifier: MIT

/// Jobs for the client's tasks, in order.
///
/// Components need it because only the actor can start a task, and because nothing may be destroyed inside PipeWire's
/// callbacks. Confined to the loop.
final class JobQueue {
    private var jobs: [() -> Void] = []
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
    func run() { if !jobs.isEmpty { jobs.removeFirst()() } }

    /// Forgets all jobs. They hold the components that added them, and those hold the queue.
    func close() {
        isClosed = true
        jobs = []
    }
}
