// SPDX-License-Identifier: MIT
import Synchronization

/// What the audio thread reports of a recording as a whole.
@safe final class Course: @unchecked Sendable {
    // @unchecked: the pointer never changes, and what it leads to is atomic.
    struct Values: ~Copyable {
        /// Where the recording begins.
        let start = Atomic<Int64>(0)
        /// In hertz; 0 before the first cycle.
        let sampleRate = Atomic<Int>(0)
        /// Another rate that the graph has taken since; 0 if it has not.
        let newRate = Atomic<Int>(0)
        /// Up to here every source that is connected has handed over all.
        let reached = Atomic<Int64>(.min)
        /// Where the newest frame of all ends.
        let end = Atomic<Int64>(.min)

        @_noLocks
        init() {}
    }

    /// For the audio thread, which cannot touch a class without a retain.
    let values: UnsafeMutablePointer<Values>

    init() {
        unsafe values = .allocate(capacity: 1)
        unsafe values.initialize(to: Values())
    }

    deinit {
        unsafe values.deinitialize(count: 1)
        unsafe values.deallocate()
    }

    /// In hertz; 0 before the first cycle. Whoever sees it sees ``start`` too.
    // Acquire: pairs with the release in `Recording`; likewise below, where the blocks before it are seen then.
    var sampleRate: Int { unsafe values.pointee.sampleRate.load(ordering: .acquiring) }
    var start: Int64 { unsafe values.pointee.start.load(ordering: .relaxed) }
    var newRate: Int { unsafe values.pointee.newRate.load(ordering: .acquiring) }
    var reached: Int64 { unsafe values.pointee.reached.load(ordering: .acquiring) }
    var end: Int64 { unsafe values.pointee.end.load(ordering: .acquiring) }
}
