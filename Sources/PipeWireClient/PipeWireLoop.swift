// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc
import Synchronization

/// The PipeWire thread loop as the executor of an actor.
///
/// The whole control side runs on this one thread. So no lock is needed, and C callbacks never run beside Swift code.
///
/// A job is put on a queue, and an event wakes the loop. On 0.3.65 another thread may do nothing else to a loop.
///
/// Jobs that come after ``stop()`` run on a thread of their own: an actor without an executor would leave its callers
/// waiting for ever.
@safe package final class PipeWireLoop: SerialExecutor {
    private struct State {
        var queue: [UnownedJob] = []
        var phase = Phase.running
        var isDraining = false
    }

    /// While it is stopping, the loop's thread may still be in a job. No other thread may run one before that has
    /// ended.
    private enum Phase { case running, stopping, stopped }

    private let state = Mutex(State())
    // Not pw_thread_loop_in_thread, which returns false in the last iteration of a loop that is being stopped.
    private let loopThread = Atomic<UInt>(0)
    private let drainThread = Atomic<UInt>(0)
    // Written once in init, before another thread can see the object.
    nonisolated(unsafe) private var handle: OpaquePointer! = nil

    /// Simulates a system without a free thread after the loop's own. For tests.
    private let isShortOfThreads: Bool

    /// - Parameter name: name of the thread, as debuggers and `ps` show it (at most 15 bytes).
    package init(name: String = "pipebus", isShortOfThreads: Bool = false) throws(PipeWireError) {
        self.isShortOfThreads = isShortOfThreads
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe handle = pbpw_loop_new(name, { data in unsafe PipeWireLoop.from(data).drainOnLoop() }, me)
        guard unsafe handle != nil else { throw .callFailed(call: "pw_thread_loop_new", code: errno) }
        let result = unsafe pbpw_loop_start(handle)
        guard result >= 0 else {
            unsafe pbpw_loop_destroy(handle)
            unsafe handle = nil
            throw .callFailed(call: "pw_thread_loop_start", code: -result)
        }
    }

    deinit {
        guard unsafe handle != nil else { return }
        stop()
        unsafe pbpw_loop_destroy(handle)
    }

    /// The loop for calls into C. Loop thread only, or after ``stop()``.
    var pointer: OpaquePointer { unsafe handle }

    /// The longest time since the last call for which this process did not run although a timer of the loop was due.
    ///
    /// The loop itself was waiting for the timer then, so a job or a call into libpipewire that takes long does not count.
    /// Loop thread only.
    package func takeOverdue() -> Duration { unsafe .nanoseconds(pbpw_loop_take_overdue(handle)) }

    private static func from(_ data: UnsafeMutableRawPointer?) -> PipeWireLoop {
        unsafe Unmanaged<PipeWireLoop>.fromOpaque(data!).takeUnretainedValue()
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustDrain = state.withLock { state in
            state.queue.append(job)
            switch state.phase {
            case .running:
                // Under the lock: after the job the loop may be freed, and the job cannot start before the lock is
                // released.
                unsafe pbpw_loop_signal(handle)
                return false
            case .stopping: return false
            case .stopped: return Self.mustStartDraining(&state)
            }
        }
        if mustDrain { startDraining() }
    }

    private static func mustStartDraining(_ state: inout State) -> Bool {
        guard !state.queue.isEmpty, !state.isDraining else { return false }
        state.isDraining = true
        return true
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(isCurrent, "this is not the PipeWire loop's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Whether the calling thread is the one that runs the jobs.
    package var isCurrent: Bool {
        let current = pthread_self()
        return loopThread.load(ordering: .acquiring) == current || drainThread.load(ordering: .acquiring) == current
    }

    /// Every callback on the loop comes from a job. So this has run before any of them reads which thread is current.
    private func drainOnLoop() {
        loopThread.store(pthread_self(), ordering: .releasing)
        drain()
    }

    private func drain() {
        let jobs = state.withLock { state in
            let jobs = state.queue
            state.queue = []
            return jobs
        }
        for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    // MARK: Ending

    /// Ends the loop's thread and waits for its end. Queued and later jobs run on another thread. Idempotent.
    ///
    /// - Thread: any but the loop's.
    package func stop() {
        let wasRunning = state.withLock { state in
            guard state.phase == .running else { return false }
            state.phase = .stopping
            return true
        }
        guard wasRunning else { return }
        unsafe pbpw_loop_stop(handle)
        // The thread has ended, and its number may be given to another one.
        loopThread.store(0, ordering: .releasing)
        let mustDrain = state.withLock { state in
            state.phase = .stopped
            return Self.mustStartDraining(&state)
        }
        if mustDrain { startDraining() }
    }

    private func startDraining() {
        var thread = pthread_t()
        let me = unsafe Unmanaged.passRetained(self)
        let result =
            isShortOfThreads
            ? EAGAIN
            : unsafe pthread_create(
                &thread, nil,
                { data in
                    unsafe Unmanaged<PipeWireLoop>.fromOpaque(data!).takeRetainedValue().drainUntilEmpty()
                    return nil
                }, me.toOpaque())
        guard result != 0 else {
            pthread_detach(thread)
            return
        }
        // No thread is left. Swift's own threads exist but have other work: late is better than never.
        unsafe me.release()
        Task.detached { [self] in drainUntilEmpty() }
    }

    private func drainUntilEmpty() {
        // Started only after the loop's thread has ended: jobs run one at a time and in order.
        drainThread.store(pthread_self(), ordering: .releasing)
        while true {
            drain()
            let isDone = state.withLock { state in
                guard state.queue.isEmpty else { return false }
                drainThread.store(0, ordering: .releasing)
                state.isDraining = false
                return true
            }
            if isDone { return }
        }
    }
}
