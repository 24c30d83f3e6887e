// SPDX-License-Identifier: MIT
import CRealtime
import Synchronization

/// Records SIGINT, SIGTERM and SIGHUP from its creation until its release.
///
/// It is for an app with work before ``BusClient/waitForSignal(since:)``, or beside it: without a watch, a signal before that
/// call ends the process at once. Give the watch to that call, so that it sees an earlier signal.
///
/// ```swift
/// let watch = SignalWatch()
/// let bus = try await BusClient.connect(as: "org.example.tone", name: "Tone", waitsForDaemon: true)
/// await bus.runUntilSignal(since: watch).exit()
/// ```
///
/// As in that call, a second SIGINT or SIGTERM ends the process, and SIGHUP stays ignored
/// in a process that was started with it ignored, as by `nohup`. Handlers of the app's own are treated as in that call.
///
/// - Thread: any.
/// - Realtime: unsafe.
public final class SignalWatch: Sendable {
    private let eventDescriptor: Int32
    private let arrived = Atomic<Int32>(0)

    /// Starts to record signals. At most 16 watches exist at a time, waits of clients included; one more records nothing.
    public init() { eventDescriptor = crt_signal_watch() }

    deinit {
        if eventDescriptor >= 0 { crt_signal_unwatch(eventDescriptor) }
    }

    /// Becomes readable with a signal; `nil` if nothing is recorded.
    var descriptor: Int32? { eventDescriptor >= 0 ? eventDescriptor : nil }

    /// The last signal since the creation, if any.
    public var signal: Int32? {
        if let descriptor {
            let latest = crt_signal_take(descriptor)
            if latest != 0 { arrived.store(latest, ordering: .relaxed) }
        }
        let signal = arrived.load(ordering: .relaxed)
        return signal != 0 ? signal : nil
    }
}
