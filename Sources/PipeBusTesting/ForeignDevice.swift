// SPDX-License-Identifier: MIT
import CPipeWireTesting

/// An output device made with libpipewire alone. Its monitors give what it plays. It has no clock, so that it can be
/// in the graph of a ``GraphStepper``.
///
/// - Thread: any.
@safe package final class ForeignDevice: @unchecked Sendable {
    // @unchecked: the C side has a lock of its own.
    private let pointer: OpaquePointer

    /// Puts a device into the graph, which leaves it with the object.
    ///
    /// - Parameters:
    ///   - remote: the daemon's socket, an absolute path.
    ///   - positions: of its channels, as PipeWire names them; up to 8.
    package init(_ name: String, at remote: String, positions: [String] = ["FL", "FR"]) throws {
        var error: Int32 = 0
        guard let made = unsafe pbpw_foreign_create_device(remote, name, positions.joined(separator: " "), &error)
        else {
            throw TestKitError("The device \(name) could not be made: error \(-error).")
        }
        unsafe pointer = made
    }

    deinit { unsafe pbpw_foreign_destroy(pointer) }
}
