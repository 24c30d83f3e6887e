// SPDX-License-Identifier: MIT
import Glibc

/// A value shared by threads, with waiting for a condition. Every wait has a bound.
@safe final class Monitor<State>: @unchecked Sendable {
    // @unchecked: `state` is touched only under `mutex`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: State) {
        self.state = state
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // A clock that nobody sets.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Reads or changes the value, and wakes all waiting threads.
    @discardableResult
    func update<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Tries now and after every change until there is a result; `nil` on timeout.
    func wait<Result>(within timeout: Duration, _ attempt: (inout State) -> Result?) -> Result? {
        var deadline = Monotonic.now(plus: timeout)
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = attempt(&state) { return result }
            if unsafe pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return attempt(&state) }
        }
    }
}

/// The clock of all waits.
enum Monotonic {
    static func now(plus delay: Duration = .zero) -> timespec {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let (seconds, attoseconds) = max(delay, .zero).components
        // Clamped to a time longer than any process runs.
        let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: time.tv_sec + Int(min(seconds, 1_000_000_000)) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}
