// SPDX-License-Identifier: MIT

/// Work for the client's tasks, in order: only the actor can start a task, and nothing may be destroyed inside PipeWire's
/// callbacks. Lives on the loop.
final class JobQueue {
    private var jobs: [() -> Void] = []
    private let start: () -> Void

    /// - Parameter start: starts a task of the client's that calls ``run()``.
    init(start: @escaping () -> Void) { self.start = start }

    /// Does something in a task of its own, after the events and tasks that wait now.
    func add(_ job: @escaping () -> Void) {
        jobs.append(job)
        start()
    }

    /// Runs the oldest job.
    func run() { if !jobs.isEmpty { jobs.removeFirst()() } }
}
