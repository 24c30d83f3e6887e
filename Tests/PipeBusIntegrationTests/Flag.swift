// SPDX-License-Identifier: MIT
import Synchronization

/// Raised once, by whoever, for everybody to see.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
