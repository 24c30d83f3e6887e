// SPDX-License-Identifier: MIT
import Synchronization

/// A flag that is raised once, on any thread, and read on any.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
