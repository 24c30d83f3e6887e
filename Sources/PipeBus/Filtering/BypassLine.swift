// SPDX-License-Identifier: MIT

/// A delay line of a bypass: what the filter gives instead of its sound, as late as that would be.
///
/// A plain value. ``BypassMemory`` owns the samples; those of a line that is in use belong to the audio thread.
struct BypassLine {
    /// Tells one from the next. 0 is none.
    var generation = 0
    /// In which of the ``BypassPlaces``.
    var place = 0
    /// In frames.
    var delay = 0
    /// Without a delay it has no memory.
    var line = DelayLine()

    @_noLocks
    init() {}

    /// Its place as a bit; none without samples, which nobody has to free.
    var mark: Int {
        @_noLocks get { line.memory == nil ? 0 : 1 << place }
    }

    /// As much has gone in as comes out first.
    var isFilled: Bool {
        @_noLocks get { line.written - line.origin >= delay }
    }

    /// Puts a block of one channel in, and gives the one that is due.
    ///
    /// - Parameter place: for the block that is due; it may be given elsewhere.
    @_noLocks
    func pass(_ block: SampleBlock, _ channel: Int, place: SampleBlock) -> SampleBlock {
        if line.memory == nil { return block }
        line.write(block, channel)
        line.read(into: place, channel, delay: delay, origin: line.origin)
        return place
    }
}
