// SPDX-License-Identifier: MIT
import CGIO

extension SessionBus {
    private final class Closing: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Calls a closure on the thread of ``GLibLoop`` when the bus has ended, also if it has ended before.
    package func whenClosed(_ body: @escaping @Sendable () -> Void) {
        GLibLoop.shared.perform { [self] in
            guard unsafe g_dbus_connection_is_closed(connection) == 0 else { return body() }
            let called:
                @convention(c) (UnsafeMutableRawPointer?, gboolean, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
                    -> Void = { _, _, _, data in
                        unsafe Unmanaged<Closing>.fromOpaque(data!).takeUnretainedValue().body()
                    }
            unsafe g_signal_connect_data(
                UnsafeMutableRawPointer(connection), "closed", unsafe unsafeBitCast(called, to: GCallback.self),
                Unmanaged.passRetained(Closing(body)).toOpaque(),
                { data, _ in unsafe Unmanaged<Closing>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
        }
    }
}
