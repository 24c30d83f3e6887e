// SPDX-License-Identifier: MIT
import CRealtime
import Glibc
import Synchronization

/// How far the threads of a hammer have come, so that none runs away from the other.
///
/// All of it is relaxed: an order that the test gave would hide one that is missing in what is tested.
final class Pace: Sendable {
    /// Of the thread that writes, and of the one that reads.
    let written = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    private let over = Atomic<Bool>(false)
    private let deadline = crt_now() + 120_000_000_000
    private let messages = Mutex<[String]>([])

    /// By how much the writing thread is ahead.
    var lead: Int { written.load(ordering: .relaxed) - read.load(ordering: .relaxed) }

    /// Whether a thread has come to the end, or has failed.
    var isOver: Bool { over.load(ordering: .relaxed) }
    func end() { over.store(true, ordering: .relaxed) }

    /// Waits for the other thread.
    ///
    /// - Returns: false once the hammer is over.
    func wait(until condition: () -> Bool) -> Bool {
        while !condition() {
            if isOver { return false }
            guard crt_now() < deadline else {
                fail("a thread waited for minutes")
                return false
            }
            sched_yield()
        }
        return !isOver
    }

    /// Does something again and again, each time that the writing thread has come further.
    func repeatedly(_ work: () -> Void) {
        var last = 0
        while wait(until: { written.load(ordering: .relaxed) > last + 500 }) {
            last = written.load(ordering: .relaxed)
            work()
        }
    }

    func fail(_ message: String) {
        messages.withLock { if $0.count < 5 { $0.append(message) } }
        end()
    }

    var failures: [String] { messages.withLock { $0 } }
}
