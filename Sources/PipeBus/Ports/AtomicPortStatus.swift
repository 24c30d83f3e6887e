// SPDX-License-Identifier: MIT
import Synchronization

/// The status of a port's connections, for any thread. It outlives the port.
final class AtomicPortStatus: Sendable {
    private let word = Atomic<UInt32>(0)

    // Relaxed: no other value is published with it.
    var value: PortStatus { PortStatus(rawValue: word.load(ordering: .relaxed)) }

    func set(_ status: PortStatus) { word.store(status.rawValue, ordering: .relaxed) }
}
