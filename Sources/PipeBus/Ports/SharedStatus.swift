// SPDX-License-Identifier: MIT
import Synchronization

/// What the audio thread knows of a port's connections, for all other threads. It outlives the port.
final class SharedStatus: Sendable {
    private let word = Atomic<UInt32>(0)

    // Relaxed: it stands for itself.
    var value: PortStatus { PortStatus(rawValue: word.load(ordering: .relaxed)) }

    func set(_ status: PortStatus) { word.store(status.rawValue, ordering: .relaxed) }
}
