// SPDX-License-Identifier: MIT
import Glibc

/// A semaphore of the system, for one thread that sleeps until it is woken.
@safe final class WakeSemaphore: @unchecked Sendable {
    // @unchecked: the system's functions may be called on any thread.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe semaphore.initialize(to: sem_t())
        // It fails only with a value that is too large.
        _ = unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        _ = unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func post() { _ = unsafe sem_post(semaphore) }

    /// Sleeps until ``post()`` is called, or was called before.
    func wait() { while unsafe sem_wait(semaphore) != 0 {} }
}
