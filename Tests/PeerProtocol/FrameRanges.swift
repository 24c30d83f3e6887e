// SPDX-License-Identifier: MIT

/// A list of ranges for the audio thread: of a fixed size, and never freed.
@safe package struct FrameRanges {
    private let capacity = 4096
    private let list: UnsafeMutablePointer<FrameRange>
    private var count = 0

    package init() { unsafe list = .allocate(capacity: capacity) }

    /// Adds a range, or makes the last one longer if this one follows it.
    ///
    /// - Realtime: safe.
    @_noLocks
    package mutating func append(from start: UInt64, to end: UInt64) {
        if count > 0, unsafe list[count - 1].end == start {
            unsafe list[count - 1].end = end
        } else if count < capacity {
            unsafe (list + count).initialize(to: FrameRange(start: start, end: end))
            count += 1
        }
    }

    @_noLocks
    package mutating func removeAll() { count = 0 }

    package var ranges: [FrameRange] { (0..<count).map { unsafe list[$0] } }
}
