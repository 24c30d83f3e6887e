// SPDX-License-Identifier: MIT
import CRealtime
import Synchronization

/// Notes SIGINT, SIGTERM and SIGHUP from the moment it is made until it is let go, for an app with work to do before
/// ``BusClient/waitForSignal()``, or beside it.
///
/// Without one a signal that comes before that wait ends the process at once. As there, a second SIGINT or SIGTERM does,
/// and SIGHUP stays ignored where it was ignored before ("nohup").
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class SignalWatch: Sendable {
    private let descriptor: Int32
    private let arrived = Atomic<Int32>(0)

    /// Begins to watch. At most 16 at a time, waits of clients included: one more notes nothing.
    public init() { descriptor = crt_signal_watch() }

    deinit {
        if descriptor >= 0 { crt_signal_unwatch(descriptor) }
    }

    /// The signal that came, if any.
    public var signal: Int32? {
        if descriptor >= 0 {
            let taken = crt_signal_take(descriptor)
            if taken != 0 { arrived.store(taken, ordering: .relaxed) }
        }
        let signal = arrived.load(ordering: .relaxed)
        return signal != 0 ? signal : nil
    }
}
