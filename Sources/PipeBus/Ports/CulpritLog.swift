// SPDX-License-Identifier: MIT
import Synchronization

/// The culprits of a port's last xruns, by the xruns' numbers. The control side writes it, any thread reads it. The audio
/// thread never comes here.
final class CulpritLog: Sendable {
    private let culprits = Mutex<[UInt64: Xrun.Culprit]>([:])

    subscript(number: UInt64) -> Xrun.Culprit? { culprits.withLock { $0[number] } }

    func set(_ culprit: Xrun.Culprit, of number: UInt64) {
        culprits.withLock { culprits in
            culprits[number] = culprit
            // Only the last xruns are given out.
            culprits = culprits.filter { $0.key + UInt64(XrunRing.length) > number }
        }
    }
}
