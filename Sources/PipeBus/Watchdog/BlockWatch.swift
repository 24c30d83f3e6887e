// SPDX-License-Identifier: MIT
import CRealtime
import Glibc
import Synchronization

/// Reports process blocks that do not return, also while one of them holds up the loop.
///
/// When the apps downstream disconnect such a port, or when the app closes it, libpipewire lets the loop wait for the block. So a
/// thread of its own looks at every port that PipeWire runs. It starts with the first of them, and sleeps while there is none.
/// Without a free thread for it, nobody looks.
final class BlockWatch: Sendable {
    /// A port that is looked at.
    struct Port: Sendable {
        var cells: PortCells
        var name: String
        var title: String
    }

    /// A call that waits until something of the client has ended.
    private struct Waiter {
        var continuation: CheckedContinuation<Bool, Never>
        /// A signal ends the wait as well; otherwise the time does.
        var signals: SignalWatch?
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
        /// The pause that ended latest since ``takeLateWake()``.
        var lateWake: SuspensionDetector.LateWake?
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

    /// Looks at a port's block from now on, or changes its limit: the time after which it counts as one that does not return.
    func watch(_ port: Port, limit: Duration) {
        let mustWake = present.withLock { present in
            present.blocks.watch(port, of: ObjectIdentifier(port.cells), limit: limit)
            if present.thread == .none { present.thread = startThread() ? .running : .ended }
            defer { present.isIdle = false }
            return present.isIdle
        }
        if mustWake { wake.post() }
    }

    /// Looks at a port no more, because PipeWire does not run it. Idempotent.
    func forget(_ cells: PortCells) { present.withLock { $0.blocks.forget(ObjectIdentifier(cells)) } }

    /// Whether a block was reported since the last call.
    func takeReports() -> Bool {
        present.withLock { present in
            defer { present.hasReported = false }
            return present.hasReported
        }
    }

    /// Of the pauses between two looks since the last call, the one that ended latest after its time; `nil` if none was late.
    func takeLateWake() -> SuspensionDetector.LateWake? {
        present.withLock { present in
            defer { present.lateWake = nil }
            return present.lateWake
        }
    }

    // MARK: The end

    /// Waits for a task, but while a block does not return, only until a signal comes, or for ``patience`` without `signals`.
    ///
    /// - Returns: the task's result; `nil` if it has not ended.
    func wait<Result: Sendable>(for task: Task<Result, Never>, orFor signals: SignalWatch? = nil) async -> Result? {
        let hasEnded = await withCheckedContinuation { continuation in
            let waiter = present.withLock { present in
                present.nextWaiter += 1
                present.waiters[present.nextWaiter] = Waiter(continuation: continuation, signals: signals)
                return present.nextWaiter
            }
            Task {
                _ = await task.value
                // The watch on signals is let go before the wait ends: an app's own handlers are back then.
                self.present.withLock { $0.waiters.removeValue(forKey: waiter)?.continuation }?.resume(returning: true)
            }
        }
        return hasEnded ? await task.value : nil
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
            let look = present.withLock { lookOnce(&$0) }
            for port in look.found {
                states.publishOverload(.overloaded(port.title))
                post(port)
            }
            for waiter in look.released { waiter.continuation.resume(returning: false) }
            if look.isEnd { return }
            if let pause = look.pause { sleep(for: pause) } else { wake.wait() }
        }
    }

    private struct Look {
        var found: [Port]
        var released: [Waiter] = []
        /// The time until the next look; `nil` while there is no port to look at.
        var pause: Duration?
        var isEnd = false
    }

    private func lookOnce(_ present: inout Present) -> Look {
        var look = Look(
            found: present.blocks.look { port in
                let load = port.cells.load
                return load.begun > load.ended ? load.begun : nil
            })
        if !look.found.isEmpty { present.hasReported = true }
        if present.blocks.isAnyStuck {
            for (key, var waiter) in present.waiters {
                waiter.time += RunningBlocks<Port>.interval
                let isOver = waiter.signals.map { $0.signal != nil } ?? (waiter.time >= Self.patience)
                present.waiters[key] = isOver ? nil : waiter
                if isOver { look.released.append(waiter) }
            }
        }
        present.isIdle = present.blocks.isEmpty
        look.isEnd = present.thread == .ended && !present.blocks.isAnyRunning
        if !present.isIdle {
            look.pause = present.blocks.isAnyRunning ? RunningBlocks<Port>.interval : RunningBlocks<Port>.pause
        }
        return look
    }

    private func post(_ port: Port) {
        notices.post(
            Notice(
                kind: .blockStalled, port: port.name,
                message:
                    "The process block of \(port.title) does not return in time; until it does, no port of this app runs, "
                    + "and nothing downstream of it."))
    }

    private func sleep(for pause: Duration) {
        let nanoseconds = pause.components.attoseconds / 1_000_000_000
        var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
        let due = MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + UInt64(nanoseconds))
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
        let wake = SuspensionDetector.LateWake(due: due, ended: .now)
        present.withLock { present in
            if wake.lateness > present.lateWake?.lateness ?? .zero { present.lateWake = wake }
        }
    }
}
