// SPDX-License-Identifier: MIT
import CPipeWireTesting

/// A filter or sender that knows nothing of PipeBus, made with libpipewire alone: sound passes as it is.
///
/// - Thread: any.
@safe package final class ForeignFilter: @unchecked Sendable {
    // @unchecked: the C side has a lock of its own.
    private let pointer: OpaquePointer
    package let name: String

    /// Puts one into the graph, with mono channels "in" and "out".
    ///
    /// - Parameters:
    ///   - remote: the daemon's socket, an absolute path.
    ///   - hasInput: else it is a sender.
    ///   - sums: it tells what arrives and its own latency in sum, as libpipewire does by itself; else its own alone.
    ///   - latency: of its own, in frames.
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

    /// One that sums tells it only when it is told of another latency itself: that is how libpipewire does it.
    package func setLatency(_ frames: Int) { unsafe pbpw_foreign_set_latency(pointer, Int32(frames)) }
}
