// SPDX-License-Identifier: MIT
import Glibc

/// A thread whose end ThreadSanitizer knows: what it wrote may be read after ``join()``.
struct HammerThread {
    private let thread: pthread_t

    private final class Box {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    init(_ work: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Box(work)).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { box in
                unsafe Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().work()
                return nil
            }, box)
        precondition(result == 0, "the system has no thread left for a test")
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}
