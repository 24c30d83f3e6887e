// SPDX-License-Identifier: MIT
import RealtimeKit

/// One lane of a ``Reader``: puts the lane's frames in their places, and fades where sound is cut off and where it begins.
///
/// A view: the reader's memory owns what it points to.
struct ReaderLane {
    private let lane: Cell<StreamReadLane>
    /// For each channel.
    private let fades: Cells<ChannelFade>
    private let lastSamples: Cells<Float>
    private let width: Int
    /// A block of zeros of the longest request. Never written.
    private let silence: SampleBlock
    /// One more block.
    private let spare: SampleBlock
    /// Another block for sound before it is faded.
    private let faded: SampleBlock

    @_noLocks
    init(
        _ lane: Cell<StreamReadLane>, fades: Cells<ChannelFade>, lastSamples: Cells<Float>, width: Int,
        silence: SampleBlock, spare: SampleBlock, faded: SampleBlock
    ) {
        self.lane = lane
        self.fades = fades
        self.lastSamples = lastSamples
        self.width = width
        self.silence = silence
        self.spare = spare
        self.faded = faded
    }

    /// The oldest frames that came at a place or later; older ones are removed. `nil` without any.
    ///
    /// - Parameters:
    ///   - sampleRate: that of the frames; others are removed too.
    ///   - discarded: incremented by the number of frames that are removed, or were dropped before.
    @_noLocks
    func oldest(from place: Int64, sampleRate: Int, discarded: inout UInt64) -> StreamRecord? {
        while let record = lane.value.peek() {
            // Counted once: what is left of a record has no dropped frames.
            let behind = place &- record.arrival
            let isOld = behind > 0 || record.sampleRate != sampleRate
            if !isOld {
                if record.frameCount > 0 { return record }
                discarded &+= UInt64(truncatingIfNeeded: record.droppedFrames)
                lane.value.discard(0)
                continue
            }
            let count = Int64(truncatingIfNeeded: record.frameCount)
            let removed = record.sampleRate != sampleRate || behind >= count ? count : behind
            discarded &+= UInt64(truncatingIfNeeded: removed)
            discarded &+= UInt64(truncatingIfNeeded: record.droppedFrames)
            lane.value.discard(Int(truncatingIfNeeded: removed))
        }
        return nil
    }

    /// Takes the beginning of the oldest frames into the rows, from a frame on.
    @_noLocks
    func take(_ record: StreamRecord, _ count: Int, into rows: BlockPool, from first: Int, fadeLength: Int) {
        for channel in 0..<width {
            let place = rows.block(channel, first &+ count).part(from: first, count)
            // A mono source is equal on all channels.
            let source = channel < record.channelCount ? channel : 0
            if fades[channel].isWhole(fadeLength: fadeLength) {
                lane.value.copy(channel: source, into: place)
                lastSamples[channel] = place.last
                continue
            }
            let sound = faded.prefix(count)
            lane.value.copy(channel: source, into: sound)
            _ = fades[channel].pass(
                sound, isLeaving: false, last: lastSamples.cell(channel), place: place, spare: spare.prefix(count),
                silence: silence.prefix(count), fadeLength)
        }
        lane.value.discard(count)
    }

    /// Puts silence into the rows, from a frame on: the last sound decays into it.
    @_noLocks
    func rest(_ count: Int, into rows: BlockPool, from first: Int, fadeLength: Int) {
        guard count > 0 else { return }
        for channel in 0..<width {
            let place = rows.block(channel, first &+ count).part(from: first, count)
            let result = fades[channel].pass(
                nil, isLeaving: false, last: lastSamples.cell(channel), place: place, spare: spare.prefix(count),
                silence: silence.prefix(count), fadeLength)
            if !result.isSame(as: place) { place.clear() }
        }
    }

    /// Begins a fade: what follows is not the continuation of the sound before.
    @_noLocks
    func cut() {
        for channel in 0..<width { fades[channel].cut(last: lastSamples[channel]) }
    }
}
