// SPDX-License-Identifier: MIT
import CSystemSleep
import Glibc

/// A connection to the system bus that waits for logind's signals of the system's sleep. Confined to the loop.
///
/// Nothing of it blocks, and nothing of it is an error: without a bus there is never a callback.
@safe package final class SleepBus {
    private var bus: OpaquePointer?
    private var reader: LoopReader?
    private let changed: (Bool) -> Void
    private let ended: () -> Void

    /// Loads libsystemd, the first time from files.
    ///
    /// - Thread: any but a loop's.
    /// - Returns: whether it is there.
    package static func load() -> Bool { css_bus_load() }

    /// The address of the system bus; `nil` where the process is to use none.
    package static var defaultAddress: String? {
        guard let given = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
            return "unix:path=/run/dbus/system_bus_socket"
        }
        let address = unsafe String(cString: given)
        // Any other kind may start a program, or wait for a name server.
        return address.hasPrefix("unix:") && !address.contains(";") ? address : nil
    }

    /// Starts to connect. `nil` if there is no bus.
    ///
    /// - Parameters:
    ///   - changed: called with whether the system is about to sleep. Nothing may be destroyed in it.
    ///   - ended: called when the bus is gone, in the same way.
    package init?(
        on loop: PipeWireLoop, address: String, changed: @escaping (Bool) -> Void, ended: @escaping () -> Void
    ) {
        self.changed = changed
        self.ended = ended
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe bus = css_bus_new(
            address,
            { data, isAboutToSleep in
                unsafe Unmanaged<SleepBus>.fromOpaque(data!).takeUnretainedValue().changed(isAboutToSleep)
            }, me)
        guard let bus = unsafe bus else { return nil }
        let reader = LoopReader(on: loop, descriptor: unsafe css_bus_descriptor(bus)) { [unowned self] in process() }
        self.reader = reader
        guard reader.isWatching else { return nil }
    }

    deinit {
        reader?.cancel()
        if let bus = unsafe bus { unsafe css_bus_free(bus) }
    }

    private func process() {
        if let bus = unsafe bus, unsafe !css_bus_process(bus) { ended() }
    }
}
