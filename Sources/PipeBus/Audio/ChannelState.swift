// SPDX-License-Identifier: MIT
import RealtimeKit

/// What the audio thread keeps of one channel that it is given: where its fades stand.
struct ChannelState {
    /// How far the sound is faded in, 0 to the length of a fade.
    private(set) var fade = 0
    /// What the last sound left when it was cut off, and how far that has died away.
    private var tail: Float = 0
    private var decay = Crossfade()

    @_noLocks
    init() {}

    /// Sound goes through as it is.
    @_noLocks
    @inline(__always)
    func isWhole(fadeLength: Int) -> Bool { fade == fadeLength && !decay.isRunning(length: fadeLength) }

    /// Nothing is heard, nor dies away.
    @_noLocks
    @inline(__always)
    func isSilent(fadeLength: Int) -> Bool { fade == 0 && !decay.isRunning(length: fadeLength) }

    /// What comes in, faded: in where sound begins, out where it is leaving, and dying away where it was cut off. Rare,
    /// and kept out of the code that runs in every cycle.
    ///
    /// - Parameters:
    ///   - block: `nil` where nothing comes.
    ///   - last: the last sample of the cycle before, and after the call that of this one.
    ///   - place: for the result; `spare` is for what is on its way there.
    ///   - fadeLength: in frames.
    /// - Returns: `place` or `silence`.
    @_noLocks
    @inline(never)
    mutating func pass(
        _ block: SampleBlock?, isLeaving: Bool, last: Cell<Float>, place: SampleBlock, spare: SampleBlock,
        silence: SampleBlock, _ fadeLength: Int
    ) -> SampleBlock {
        let frameCount = place.frameCount
        var result = silence
        if let block, !isLeaving || fadeLength == 0 {
            place.fadeIn(block, position: fade, length: fadeLength)
            fade = min(fade + frameCount, fadeLength)
            result = place
        } else if let block, fade > 0 {
            // From wherever it was: the curve is symmetrical.
            place.fadeOut(block, position: fadeLength - fade, length: fadeLength)
            fade = max(fade - frameCount, 0)
            result = place
        } else if block == nil {
            cut(last: last.value)
        }
        if decay.isRunning(length: fadeLength) {
            if result.isSame(as: silence) {
                decay.decay(from: tail, into: place, length: fadeLength)
                result = place
            } else {
                decay.decay(from: tail, into: spare, length: fadeLength)
                place.add(spare)
            }
            decay.advance(by: frameCount, length: fadeLength)
        }
        last.value = result.last
        return result
    }

    /// The sound stops here; what it was last is to die away.
    @_noLocks
    mutating func cut(last: Float) {
        if fade > 0 {
            // What is no number would not die away.
            tail = last.isFinite ? last : 0
            decay.start()
        }
        fade = 0
    }
}
