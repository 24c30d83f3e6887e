// SPDX-License-Identifier: MIT

/// A delay line of a bypass: it gives the filter's input, as late as the filter's sound.
///
/// A plain value. ``BypassMemory`` owns the samples. The samples of a line in use belong to the audio thread.
struct BypassLine {
    /// The identity of the line. 0 is no line.
    var generation = 0
    /// The line's slot in ``BypassSlots``.
    var slot = 0
    /// The delay, in frames.
    var delay = 0
    /// The samples. Without a delay it has no memory.
    var line = DelayLine()

    @_noLocks
    init() {}

    /// The line's slot as a bit; 0 for a line without samples, which need not be freed.
    var mark: Int {
        @_noLocks get { line.memory == nil ? 0 : 1 << slot }
    }

    /// Whether the line is full: its first frame is due.
    var isFilled: Bool {
        @_noLocks get { line.written - line.origin >= delay }
    }

    /// Stores a block of one channel, and gives the delayed one.
    ///
    /// - Parameter place: memory for the delayed block; the result may be elsewhere.
    @_noLocks
    func pass(_ block: SampleBlock, _ channel: Int, place: SampleBlock) -> SampleBlock {
        if line.memory == nil { return block }
        line.write(block, channel)
        line.read(into: place, channel, delay: delay, origin: line.origin)
        return place
    }
}
