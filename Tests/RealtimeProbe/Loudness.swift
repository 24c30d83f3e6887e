// SPDX-License-Identifier: MIT
import Synchronization

/// The output of the senders in place of their sound, set while they run. A value that every block can hold.
@safe struct Loudness: @unchecked Sendable {
    // @unchecked: the pointer never changes, and what it leads to is atomic. It is there until the end.
    private let factor: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        unsafe factor = .allocate(capacity: 1)
        unsafe factor.initialize(to: Atomic(Float(1).bitPattern))
    }

    /// The factor of each sample: 1, 0 for silence, or NaN.
    var value: Float {
        get { unsafe Float(bitPattern: factor.pointee.load(ordering: .relaxed)) }
        nonmutating set { unsafe factor.pointee.store(newValue.bitPattern, ordering: .relaxed) }
    }
}
