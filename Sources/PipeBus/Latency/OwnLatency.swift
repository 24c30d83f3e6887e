// SPDX-License-Identifier: MIT
import Synchronization

/// The latency that a port itself adds, in frames. The control side sets it; any thread may read it.
final class OwnLatency: Sendable {
    private let value: Atomic<Int>

    init(_ frames: Int) { value = Atomic(frames) }

    var frames: Int {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
