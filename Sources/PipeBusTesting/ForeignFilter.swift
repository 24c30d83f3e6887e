// SPDX-License-Identifier: MIT
import CPipeWireTesting

/// A filter or sender made with libpipewire alone, without PipeBus. Sound passes unchanged.
///
/// - Thread: any.
@safe package final class ForeignFilter: @unchecked Sendable {
    // @unchecked: the C side has a lock of its own.
    private let pointer: OpaquePointer
    package let name: String

    /// Puts a node into the graph, with mono channels "in" and "out".
    ///
    /// - Parameters:
    ///   - remote: the daemon's socket, an absolute path.
    ///   - hasInput: whether it is a filter; otherwise it is a sender.
    ///   - sums: whether it publishes the sum of the arriving latency and its own, as libpipewire does; otherwise its
    ///     own alone.
    ///   - latency: its own latency, in frames.
    package init(
        _ name: String, at remote: String, hasInput: Bool = true, sums: Bool = true, latency: Int
    ) throws {
        var error: Int32 = 0
        guard let made = unsafe pbpw_foreign_create(remote, name, hasInput, sums, Int32(latency), &error) else {
            throw TestKitError("The foreign filter \(name) could not be made: error \(-error).")
        }
        unsafe pointer = made
        self.name = name
    }

    deinit { unsafe pbpw_foreign_destroy(pointer) }

    /// Changes its own latency. A node that sums publishes the change only with the next change of the arriving
    /// latency, as libpipewire does.
    package func setLatency(_ frames: Int) { unsafe pbpw_foreign_set_latency(pointer, Int32(frames)) }
}
