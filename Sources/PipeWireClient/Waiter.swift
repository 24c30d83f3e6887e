// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// A wait for one answer, with a time limit. Confined to the loop.
///
/// The answer may come before the wait starts, and more than once. The first one counts.
package final class Waiter<Value: Sendable> {
    private var result: Result<Value, PipeWireError>?
    private var continuation: CheckedContinuation<Void, Never>?

    package init() {}

    package func resume(returning value: sending Value) { settle(.success(value)) }

    package func resume(throwing error: PipeWireError) { settle(.failure(error)) }

    private func settle(_ result: Result<Value, PipeWireError>) {
        guard self.result == nil else { return }
        self.result = result
        continuation?.resume()
        continuation = nil
    }

    /// - Parameter what: completes "waited … for".
    package func value(
        within timeout: Duration, on loop: PipeWireLoop, waitingFor what: String
    ) async throws(PipeWireError) -> Value {
        if result == nil {
            let deadline = LoopTimer(on: loop, after: timeout) { [unowned self] in
                resume(throwing: .timedOut(what: "waited \(timeout.inWords) for \(what)"))
            }
            defer { deadline.cancel() }
            // Without the timer a missing answer would be waited for for ever.
            guard deadline.isArmed else { throw .callFailed(call: "pw_loop_add_timer", code: EMFILE) }
            await withCheckedContinuation { continuation = $0 }
        }
        return try result!.get()
    }
}

/// Calls back once on the loop, unless cancelled before.
@safe package final class LoopTimer {
    private var timer: OpaquePointer?
    private let fired: () -> Void

    package init(on loop: PipeWireLoop, after delay: Duration, fired: @escaping () -> Void) {
        self.fired = fired
        let nanoseconds = Self.nanoseconds(delay)
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe timer = pbpw_timer_new(
            loop.pointer, nanoseconds,
            { data in
                let timer = unsafe Unmanaged<LoopTimer>.fromOpaque(data!).takeUnretainedValue()
                timer.fired()
            }, me)
    }

    private static func nanoseconds(_ delay: Duration) -> UInt64 {
        let (seconds, attoseconds) = delay.components
        // Clamped to a time longer than any process runs.
        return UInt64(clamping: min(max(seconds, 0), 1_000_000_000)) * 1_000_000_000
            + UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Lets it fire once more. It may be called inside its own callback, which costs less than another timer.
    package func arm(after delay: Duration) {
        if let timer = unsafe timer { unsafe pbpw_timer_arm(timer, Self.nanoseconds(delay)) }
    }

    package func disarm() {
        if let timer = unsafe timer { unsafe pbpw_timer_disarm(timer) }
    }

    /// Whether it will fire: without a descriptor or memory it never does.
    package var isArmed: Bool { unsafe timer != nil }

    package func cancel() {
        guard let timer = unsafe timer else { return }
        unsafe self.timer = nil
        unsafe pbpw_timer_destroy(timer)
    }

    deinit { cancel() }
}
