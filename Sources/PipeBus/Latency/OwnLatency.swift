// SPDX-License-Identifier: MIT
import Synchronization

/// What a port adds to the age of its sound, in frames: set on the control side, read anywhere.
final class OwnLatency: Sendable {
    private let value: Atomic<Int>

    init(_ frames: Int) { value = Atomic(frames) }

    var frames: Int {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
