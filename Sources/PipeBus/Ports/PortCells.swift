// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

/// Owns a port's core, and nothing of the app's: the port's object may keep it after the port is closed.
final class PortCells: @unchecked Sendable {
    // @unchecked: as ``PortMemory``.
    private let owned: OwnedCells<PortCore>
    private let loadMemory: OwnedCells<crt_load>
    private let xrunMemory: XrunMemory

    init(_ core: consuming PortCore, load: consuming OwnedCells<crt_load>, xruns: XrunMemory) {
        owned = OwnedCells(core)
        loadMemory = load
        xrunMemory = xruns
    }

    var core: Cell<PortCore> { owned.cell }

    /// The graph's sample rate, in hertz: of the port's last cycle, or announced for its next one; 0 while neither is known.
    ///
    /// - Thread: any.
    var sampleRate: Int { core.value.sampleRate.load(ordering: .relaxed) }

    /// Gives a port that does not run what is expected of its next cycle, in hertz and frames. The cycle itself has the last
    /// word.
    ///
    /// - Thread: control.
    func announce(sampleRate: Int, quantum: Int) {
        core.value.sampleRate.store(sampleRate, ordering: .relaxed)
        core.value.announcedQuantum.store(quantum, ordering: .relaxed)
    }

    /// The time that the port's callback takes.
    ///
    /// - Thread: any.
    var load: crt_load_values { unsafe crt_load_read(loadMemory.cell.pointer) }
    /// The end of the last cycle: CLOCK_MONOTONIC, in nanoseconds; 0 before the first one.
    var lastCycleEnd: UInt64 { load.ended }
    /// The measurement, for C.
    var loadPointer: UnsafeMutablePointer<crt_load> { unsafe loadMemory.cell.pointer }

    /// Number of the port's xruns.
    ///
    /// - Thread: any.
    var xrunCount: UInt64 { core.value.xrunCount.load(ordering: .acquiring) }

    /// The last xruns, by their numbers from 0, oldest first.
    ///
    /// - Thread: any.
    var lastXruns: [(number: UInt64, entry: XrunRing.Entry)] {
        xrunMemory.ring.last(before: { xrunCount })
    }
}
