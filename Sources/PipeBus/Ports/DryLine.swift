// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime

/// A delay of several channels: what a bypassed filter gives instead of its sound, as late as that would be.
///
/// Plain memory of ``BypassMemory``; one that is in use belongs to the audio thread.
@unsafe struct DryLine {
    /// Tells one from the next. 0 is none.
    var generation = 0
    /// In which of the ``BypassPlaces``.
    var place = 0
    /// In frames.
    var delay = 0
    /// A power of two, at least the delay and a cycle.
    var length = 0
    /// `length` samples for each channel; `nil` without a delay.
    var samples: UnsafeMutablePointer<Float>?
    /// Frames that went in.
    private var written = 0
    /// What is before this is silent.
    private var origin = 0

    @_noLocks
    init() {}

    /// Its place as a bit; none without samples, which nobody has to free.
    var mark: Int {
        @_noLocks get { unsafe samples == nil ? 0 : 1 << place }
    }

    /// As much has gone in as comes out first.
    var isFilled: Bool {
        @_noLocks get { unsafe written - origin >= delay }
    }

    /// Forgets what went in.
    @_noLocks
    mutating func clear() { unsafe origin = written }

    /// Puts a block of one channel in, and gives the one that is due.
    ///
    /// - Parameter place: for the block that is due; it may be given elsewhere.
    @_noLocks
    func pass(
        _ block: UnsafeMutablePointer<Float>, channel: Int, place: UnsafeMutablePointer<Float>, _ frameCount: Int
    ) -> UnsafeMutablePointer<Float> {
        guard let samples = unsafe samples else { return unsafe block }
        let line = unsafe samples + channel * length
        unsafe write(block, to: line, frameCount)
        unsafe read(line, into: place, frameCount)
        return unsafe place
    }

    /// After all channels of a cycle have passed.
    @_noLocks
    mutating func advance(_ frameCount: Int) { unsafe written += frameCount }

    /// Lets silence pass in place of frames that were missed.
    ///
    /// - Parameter silence: one cycle of it.
    @_noLocks
    mutating func skip(_ frameCount: Int, channels: Int, silence: UnsafeMutablePointer<Float>) {
        if let samples = unsafe samples {
            for channel in 0..<channels { unsafe write(silence, to: samples + channel * length, frameCount) }
        }
        unsafe written += frameCount
    }

    @_noLocks
    private func write(
        _ block: UnsafeMutablePointer<Float>, to line: UnsafeMutablePointer<Float>, _ frameCount: Int
    ) {
        let start = unsafe written & (length - 1)
        let first = unsafe min(frameCount, length - start)
        unsafe cak_copy(line + start, block, UInt32(truncatingIfNeeded: first))
        if first < frameCount { unsafe cak_copy(line, block + first, UInt32(truncatingIfNeeded: frameCount - first)) }
    }

    @_noLocks
    private func read(_ line: UnsafeMutablePointer<Float>, into place: UnsafeMutablePointer<Float>, _ frameCount: Int) {
        let begin = unsafe written - delay
        let silent = unsafe begin < origin ? min(origin - begin, frameCount) : 0
        unsafe crt_clear(place, UInt64(truncatingIfNeeded: silent))
        let rest = frameCount - silent
        let start = unsafe (begin + silent) & (length - 1)
        let first = unsafe min(rest, length - start)
        unsafe cak_copy(place + silent, line + start, UInt32(truncatingIfNeeded: first))
        if first < rest { unsafe cak_copy(place + silent + first, line, UInt32(truncatingIfNeeded: rest - first)) }
    }
}
