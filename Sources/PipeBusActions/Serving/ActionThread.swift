// SPDX-License-Identifier: MIT
import CGIO

/// A thread for one request, which may wait for the disk for long: the threads of Swift's tasks are few.
///
/// - Thread: any.
@safe final class ActionThread: TaskExecutor, @unchecked Sendable {
    // @unchecked: a queue of GLib may be used on any thread.
    private let jobs: OpaquePointer

    @safe private final class Entry {
        /// `nil` ends the thread.
        let job: UnownedJob?
        let executor: UnownedTaskExecutor?

        init(_ job: UnownedJob?, _ executor: UnownedTaskExecutor?) {
            self.job = job
            unsafe self.executor = executor
        }
    }

    init() {
        unsafe jobs = g_async_queue_new()
        unsafe g_async_queue_ref(jobs)
        let words = unsafe UInt(bitPattern: UnsafeRawPointer(jobs))
        let thread = unsafe g_thread_new("pipebus-action", Self.body, UnsafeMutableRawPointer(bitPattern: words))
        unsafe g_thread_unref(thread)
    }

    deinit {
        unsafe g_async_queue_push(jobs, Unmanaged.passRetained(Entry(nil, nil)).toOpaque())
        unsafe g_async_queue_unref(jobs)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let entry = unsafe Entry(UnownedJob(job), asUnownedTaskExecutor())
        unsafe g_async_queue_push(jobs, Unmanaged.passRetained(entry).toOpaque())
    }

    private static let body: GThreadFunc = { data in
        let jobs = unsafe OpaquePointer(data!)
        while let next = unsafe g_async_queue_pop(jobs) {
            let entry = unsafe Unmanaged<Entry>.fromOpaque(next).takeRetainedValue()
            guard let job = entry.job, let executor = unsafe entry.executor else { break }
            unsafe job.runSynchronously(on: executor)
        }
        unsafe g_async_queue_unref(jobs)
        return nil
    }

    /// Does work on a new thread.
    static func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let thread = ActionThread()
        let task = Task(executorPreference: thread, operation: work)
        return try await withTaskCancellationHandler {
            defer { withExtendedLifetime(thread) {} }
            return try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
