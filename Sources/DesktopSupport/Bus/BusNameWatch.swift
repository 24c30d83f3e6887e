// SPDX-License-Identifier: MIT
import CGIO

/// Waits for the end of a process that has a name on the bus.
///
/// - Thread: any.
package final class BusNameWatch: Sendable {
    private final class Watch: Sendable {
        let vanished: @Sendable () -> Void
        init(_ vanished: @escaping @Sendable () -> Void) { self.vanished = vanished }
    }

    private let number: UInt32

    /// - Parameter vanished: called on the thread of ``GLibLoop`` when nobody has the name, also if nobody has it now. It may be called again.
    package static func of(
        _ name: String, on bus: SessionBus, vanished: @escaping @Sendable () -> Void
    ) async -> BusNameWatch {
        await GLibLoop.shared.run {
            let watch = unsafe Unmanaged.passRetained(Watch(vanished)).toOpaque()
            return BusNameWatch(
                unsafe g_bus_watch_name_on_connection(
                    bus.connection, name, G_BUS_NAME_WATCHER_FLAGS_NONE, nil,
                    { _, _, data in unsafe Unmanaged<Watch>.fromOpaque(data!).takeUnretainedValue().vanished() }, watch,
                    { data in unsafe Unmanaged<Watch>.fromOpaque(data!).release() }))
        }
    }

    private init(_ number: UInt32) { self.number = number }

    deinit {
        // It belongs to the thread on which it was made.
        GLibLoop.shared.perform { [number] in g_bus_unwatch_name(number) }
    }
}
