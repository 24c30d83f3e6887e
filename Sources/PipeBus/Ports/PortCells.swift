// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Owns a port's core, and nothing of the app's: the port's object may keep it after the port is closed.
final class PortCells: @unchecked Sendable {
    // @unchecked: as ``PortMemory``.
    private let owned: OwnedCells<PortCore>

    init(_ core: consuming PortCore) { owned = OwnedCells(core) }

    var core: Cell<PortCore> { owned.cell }

    /// The graph's sample rate, in hertz; 0 before the port's first cycle.
    ///
    /// - Thread: any.
    var sampleRate: Int { core.value.sampleRate.load(ordering: .relaxed) }
}
