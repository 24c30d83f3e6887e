// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc
import Synchronization

/// The PipeWire thread loop as the executor of an actor: everything on the control side runs on this one thread, so
/// no lock is needed and C callbacks and Swift code never meet.
///
/// A job is put on a queue and the loop is woken by an event, which is the one thing that foreign threads may do to a
/// loop on 0.3.65. After ``stop()`` the jobs that still come are run on a thread of their own: an actor whose executor
/// is dead would leave its callers waiting for ever.
@safe package final class PipeWireLoop: SerialExecutor {
    private struct State {
        var queue: [UnownedJob] = []
        var phase = Phase.running
        var isDraining = false
    }

    /// While it is stopping, the loop's thread may still be in a job: nobody else may run one before it has ended.
    private enum Phase { case running, stopping, stopped }

    private let state = Mutex(State())
    // Not pw_thread_loop_in_thread: that says no in the last turn of a loop that was told to stop.
    private let loopThread = Atomic<UInt>(0)
    private let drainThread = Atomic<UInt>(0)
    // Written once in init, before anybody else can see the object.
    nonisolated(unsafe) private var handle: OpaquePointer! = nil

    /// As if the system had no thread left after the loop's own. For tests.
    private let isShortOfThreads: Bool

    /// - Parameter name: of the thread, as debuggers and `ps` show it (at most 15 bytes).
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

    /// For the calls into C. Loop thread only, or after ``stop()``.
    var pointer: OpaquePointer { unsafe handle }

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
                // Under the lock: the job may be the one after which the loop is let go, and it cannot start before.
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

    /// Everything on the loop comes from a job, so this has run before any callback asks who is current.
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

    /// Ends the loop's thread and waits for it. What is still queued, and what comes later, runs elsewhere. Twice is
    /// once.
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
        // The thread is gone, and its number may be given to another.
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
        // No thread is left. Swift's own are there, and have other work too: later is better than not at all.
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
