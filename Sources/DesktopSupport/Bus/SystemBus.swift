// SPDX-License-Identifier: MIT
import CGIO

/// The system's bus, beside ``SessionBus``: logind is on it.
package enum SystemBus {
    /// Connects, or takes the connection of the process if something else holds it.
    ///
    /// - Throws: ``DBusError`` `noBus`.
    package static func connect() async throws -> SessionBus {
        try await SessionBus.connect(to: G_BUS_TYPE_SYSTEM, named: "the system bus")
    }
}
