// SPDX-License-Identifier: MIT
import RealtimeKit

/// One lane of a ``Reader``: puts the lane's frames in their places, and fades where sound is cut off and where it begins.
///
/// A view: the reader's memory owns what it points to.
struct ReaderLane {
    private let lane: Cell<StreamReadLane>
    private let fades: StreamFades
    private let width: Int

    @_noLocks
    init(_ lane: Cell<StreamReadLane>, fades: StreamFades, width: Int) {
        self.lane = lane
        self.fades = fades
        self.width = width
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
            let sound = fades.block(forSoundAt: place, channel: channel, fadeLength)
            // A mono source is equal on all channels.
            lane.value.copy(channel: channel < record.channelCount ? channel : 0, into: sound)
            fades.pass(sound, channel: channel, to: place, fadeLength)
        }
        lane.value.discard(count)
    }

    /// Puts silence into the rows, from a frame on: the last sound decays into it.
    @_noLocks
    func rest(_ count: Int, into rows: BlockPool, from first: Int, fadeLength: Int) {
        guard count > 0 else { return }
        for channel in 0..<width {
            fades.rest(
                channel: channel, at: rows.block(channel, first &+ count).part(from: first, count), fadeLength)
        }
    }

    /// Begins a fade: what follows is not the continuation of the sound before.
    @_noLocks
    func cut() { fades.cut() }
}
