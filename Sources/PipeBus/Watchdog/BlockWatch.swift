// SPDX-License-Identifier: MIT
import CRealtime
import Glibc
import Synchronization

/// Reports process blocks that do not return, also while one of them holds up the loop.
///
/// When the apps downstream disconnect such a port, or when the app closes it, libpipewire lets the loop wait for the block. So a
/// thread of its own looks at blocks that the loop has seen running. It starts with the first of them, and sleeps while none runs.
/// Without a free thread for it, only the loop looks.
final class BlockWatch: Sendable {
    /// A port whose block was running.
    struct Port: Sendable {
        var cells: PortCells
        var name: String
        var title: String
    }

    /// A call that waits until something of the client has ended.
    private struct Waiter {
        var continuation: CheckedContinuation<Bool, Never>
        /// The time for which a block that does not return has been waited for.
        var time = Duration.zero
    }

    private struct Present {
        var blocks = RunningBlocks<Port>()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        /// Whether a report was made since ``takeReports()``.
        var hasReported = false
        var thread = Thread.none
        var isIdle = false
    }

    private enum Thread { case none, running, ended }

    /// The time that a close waits for a block that does not return.
    private static let patience: Duration = .seconds(8)

    private let present = Mutex(Present())
    private let wake: WakeSemaphore
    private let notices: NoticeLog
    private let states: StatePublisher

    init(notices: NoticeLog, states: StatePublisher) {
        self.notices = notices
        self.states = states
        wake = WakeSemaphore()
    }

    // MARK: The loop

    /// Looks at blocks from now on until they return.
    func look(at blocks: [RunningBlocks<Port>.Entry]) {
        guard !blocks.isEmpty else { return }
        let mustWake = present.withLock { present in
            for entry in blocks { present.blocks.add(entry, of: ObjectIdentifier(entry.block.cells)) }
            if present.thread == .none { present.thread = startThread() ? .running : .ended }
            defer { present.isIdle = false }
            return present.isIdle
        }
        if mustWake { wake.post() }
    }

    /// Reports a block that the loop has found, unless it is reported.
    func report(_ port: Port, mark: UInt32) {
        let isNew = present.withLock { $0.blocks.claim(mark: mark, of: ObjectIdentifier(port.cells)) }
        if isNew { post(port) }
    }

    /// Whether the thread has reported a block since the last call.
    func takeReports() -> Bool {
        present.withLock { present in
            defer { present.hasReported = false }
            return present.hasReported
        }
    }

    /// Forgets a port that is closed.
    func forget(_ cells: PortCells) { present.withLock { $0.blocks.forget(ObjectIdentifier(cells)) } }

    private func post(_ port: Port) {
        notices.post(
            Notice(
                kind: .blockStalled, port: port.name,
                message:
                    "The process block of \(port.title) does not return in time; until it does, no port of this app runs, "
                    + "and nothing downstream of it."))
    }

    // MARK: The end

    /// Waits for a task, and no longer than ``patience`` for a block that does not return.
    ///
    /// - Returns: whether the task has ended.
    func wait(for task: Task<Void, Never>) async -> Bool {
        await withCheckedContinuation { continuation in
            let waiter = present.withLock { present in
                present.nextWaiter += 1
                present.waiters[present.nextWaiter] = Waiter(continuation: continuation)
                return present.nextWaiter
            }
            Task {
                await task.value
                self.present.withLock { $0.waiters.removeValue(forKey: waiter) }?.continuation.resume(returning: true)
            }
        }
    }

    /// Ends the thread. Idempotent.
    func stop() {
        present.withLock { $0.thread = .ended }
        wake.post()
    }

    // MARK: The thread

    private func startThread() -> Bool {
        var thread = pthread_t()
        let me = unsafe Unmanaged.passRetained(self)
        let result = unsafe pthread_create(
            &thread, nil,
            { data in
                unsafe Unmanaged<BlockWatch>.fromOpaque(data!).takeRetainedValue().run()
                return nil
            }, me.toOpaque())
        guard result == 0 else {
            unsafe me.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        while true {
            let (found, waiters, isIdle, isEnded) = present.withLock { lookOnce(&$0) }
            for port in found {
                post(port)
                states.publishOverload(.overloaded(port.title))
            }
            for waiter in waiters { waiter.continuation.resume(returning: false) }
            if isEnded { return }
            if isIdle { wake.wait() } else { sleep() }
        }
    }

    private func lookOnce(_ present: inout Present) -> (found: [Port], waiters: [Waiter], isIdle: Bool, isEnded: Bool) {
        let found = present.blocks.look { port in
            let load = port.cells.load
            return load.begun > load.ended ? load.begun : nil
        }
        if !found.isEmpty { present.hasReported = true }
        var released: [Waiter] = []
        if present.blocks.isAnyStuck {
            for (key, var waiter) in present.waiters {
                waiter.time += RunningBlocks<Port>.interval
                present.waiters[key] = waiter.time < Self.patience ? waiter : nil
                if waiter.time >= Self.patience { released.append(waiter) }
            }
        }
        present.isIdle = present.blocks.isEmpty
        return (found, released, present.isIdle, present.thread == .ended && present.isIdle)
    }

    private func sleep() {
        var time = timespec(
            tv_sec: 0, tv_nsec: Int(RunningBlocks<Port>.interval.components.attoseconds / 1_000_000_000))
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
    }
}
