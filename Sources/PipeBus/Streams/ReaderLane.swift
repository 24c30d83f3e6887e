// SPDX-License-Identifier: MIT
import AudioConversion
import RealtimeKit

/// One lane of a ``Reader``: puts the lane's frames in their places, and fades where sound is cut off and where it begins.
///
/// A view: the reader's memory owns what it points to.
@safe struct ReaderLane {
    /// What comes from the audio thread.
    let source: Cell<StreamReadLane>
    private let fades: StreamFades
    private let width: Int
    /// The rings of the channels of a source with ``ringChannelCount`` channels.
    private let rings: Cells<UnsafeMutablePointer<Float>?>
    private var ringChannelCount = 0

    /// - Parameter rings: as many as there are channels.
    @_noLocks
    init(
        _ source: Cell<StreamReadLane>, fades: StreamFades, width: Int, rings: Cells<UnsafeMutablePointer<Float>?>
    ) {
        self.source = source
        self.fades = fades
        self.width = width
        unsafe self.rings = unsafe rings
    }

    /// Looks for frames that came at a place or later; older ones are removed.
    ///
    /// - Parameters:
    ///   - sampleRate: that of the frames; others are removed too.
    ///   - statistics: counts the frames that are removed, and those that were dropped or missed before them.
    /// - Returns: whether there are any: the oldest ones of ``source``.
    @_noLocks
    func findOldest(from place: Int64, sampleRate: Int, _ statistics: inout ReaderStatistics) -> Bool {
        while source.value.findOldest() {
            // Looked at where it is: a record is long.
            let behind = Int(truncatingIfNeeded: max(place &- source.value.oldest.arrival, 0))
            let count = source.value.oldest.frameCount
            let hasOtherRate = source.value.oldest.sampleRate != sampleRate
            if behind == 0 && count > 0 && !hasOtherRate { return true }
            // Counted once: what is left of a record has no dropped or missed frames.
            let removed = hasOtherRate ? count : min(behind, count)
            statistics.discardedFrames &+= UInt64(truncatingIfNeeded: source.value.oldest.droppedFrames &+ removed)
            statistics.missedFrames &+= UInt64(truncatingIfNeeded: source.value.oldest.missedFrames)
            source.value.discard(removed)
        }
        return false
    }

    /// The beginning of the oldest frames where they lie, up to the end of the ring; `nil` while a fade changes them.
    ///
    /// Remove them after use.
    @_noLocks
    mutating func run(_ channelCount: Int, _ frameCount: Int, fadeLength: Int) -> ReaderRun? {
        guard fades.areWhole(fadeLength) else { return nil }
        if channelCount != ringChannelCount { takeRings(ofChannels: channelCount) }
        let first = source.value.firstFrame
        let count = min(frameCount, source.value.unbrokenFrames)
        for channel in 0..<width {
            fades.note(last: unsafe rings[channel].unsafelyUnwrapped[first &+ count &- 1], channel: channel)
        }
        return unsafe ReaderRun(inRing: Rows(rings.pointer(at: 0)), from: first, frameCount: count)
    }

    @_noLocks
    private mutating func takeRings(ofChannels count: Int) {
        ringChannelCount = count
        for channel in 0..<width {
            // A mono source is equal on all channels.
            unsafe rings[channel] = unsafe source.value.ring(ofChannel: channel < count ? channel : 0)
        }
    }

    /// Takes the beginning of the oldest frames into the rows, with their fades.
    @_noLocks
    func take(_ channelCount: Int, _ count: Int, into rows: BlockPool, fadeLength: Int) {
        for channel in 0..<width {
            let place = rows.block(channel, count)
            let sound = fades.block(forSoundAt: place, channel: channel, fadeLength)
            source.value.copy(channel: channel < channelCount ? channel : 0, into: sound)
            fades.pass(sound, channel: channel, to: place, fadeLength)
        }
        source.value.discard(count)
    }

    /// Puts silence into the rows: the last sound decays into it.
    @_noLocks
    func rest(_ count: Int, into rows: BlockPool, fadeLength: Int) {
        for channel in 0..<width { fades.rest(channel: channel, at: rows.block(channel, count), fadeLength) }
    }

    /// Removes frames that were used where they lay.
    @_noLocks
    func remove(_ count: Int) { source.value.discard(count) }

    /// Begins a fade: what follows is not the continuation of the sound before.
    @_noLocks
    func cut() { fades.cut() }
}
