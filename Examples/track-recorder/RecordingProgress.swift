// SPDX-License-Identifier: MIT
import Synchronization

/// The audio thread's report on a recording as a whole.
@safe final class RecordingProgress: @unchecked Sendable {
    // @unchecked: the pointer never changes, and the memory behind it is atomic.
    struct Values: ~Copyable {
        /// The start of the recording.
        let start = Atomic<Int64>(0)
        /// The sample rate, in hertz; 0 before the first cycle.
        let sampleRate = Atomic<Int>(0)
        /// Another rate that the graph has changed to, in hertz; 0 if it has not.
        let newRate = Atomic<Int>(0)
        /// The place up to which every connected source has handed over all its sound.
        let reached = Atomic<Int64>(.min)
        /// The end of the newest frame.
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

    /// The sample rate, in hertz; 0 before the first cycle. ``start`` is visible with it.
    // Acquire: pairs with the release in `Recording`. For the properties that follow, the earlier blocks are visible
    // too.
    var sampleRate: Int { unsafe values.pointee.sampleRate.load(ordering: .acquiring) }
    var start: Int64 { unsafe values.pointee.start.load(ordering: .relaxed) }
    var newRate: Int { unsafe values.pointee.newRate.load(ordering: .acquiring) }
    var reached: Int64 { unsafe values.pointee.reached.load(ordering: .acquiring) }
    var end: Int64 { unsafe values.pointee.end.load(ordering: .acquiring) }

    /// The time from the start to the newest frame, in seconds; `nil` before the first cycle.
    var seconds: Double? {
        guard sampleRate > 0, end > start else { return nil }
        return Double(end &- start) / Double(sampleRate)
    }
}
