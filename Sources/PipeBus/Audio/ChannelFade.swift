// SPDX-License-Identifier: MIT
import RealtimeKit

/// The fades of one input channel, on the audio thread: in, out, and the decay of sound that was cut off.
struct ChannelFade {
    /// The position of the fade-in, in frames: 0 to the length of a fade.
    private(set) var position = 0
    /// The last sample before the sound was cut off, and the position of its decay.
    private var tail: Float = 0
    private var decay = Crossfade()
    /// Number of cycles in which a link has given zeros, and nothing before them.
    private var zeroCycles = 0

    /// A new link may give zeros before its source has run: PipeWire 0.3.65 mixes an input that once had two links, and gives
    /// silence in place of a buffer that is not there yet.
    private static var longestWait: Int { @_noLocks get { 3 } }

    @_noLocks
    init() {}

    /// Whether the sound passes unchanged.
    @_noLocks
    @inline(__always)
    func isWhole(fadeLength: Int) -> Bool { position == fadeLength && !decay.isRunning(length: fadeLength) }

    /// Whether the channel is silent, with no fade running.
    @_noLocks
    @inline(__always)
    func isSilent(fadeLength: Int) -> Bool { position == 0 && !decay.isRunning(length: fadeLength) }

    /// The faded input: faded in where sound begins, faded out before it leaves, a decay where it was cut off.
    ///
    /// Rare, and kept out of the code that runs in every cycle.
    ///
    /// - Parameters:
    ///   - block: `nil` without input.
    ///   - isLink: whether the sound comes over a link. Then the fade-in waits for the first sample that is not zero, for some
    ///     cycles: else it would be over before the sound begins.
    ///   - last: the last sample of the previous cycle; after the call that of this cycle.
    ///   - place: memory for the result; `spare` is used on the way.
    ///   - fadeLength: in frames.
    /// - Returns: `place` or `silence`.
    @_noLocks
    @inline(never)
    mutating func pass(
        _ block: SampleBlock?, isLeaving: Bool, isLink: Bool = false, last: Cell<Float>, place: SampleBlock,
        spare: SampleBlock,
        silence: SampleBlock, _ fadeLength: Int
    ) -> SampleBlock {
        let frameCount = place.frameCount
        var result = silence
        if let block, isLink, !isLeaving, fadeLength > 0, waits(for: block) {
            // Silence, in which a decay may go on.
        } else if let block, !isLeaving || fadeLength == 0 {
            place.fadeIn(block, position: position, length: fadeLength)
            position = min(position + frameCount, fadeLength)
            result = place
        } else if let block, position > 0 {
            // From the present position: the curve is symmetrical.
            place.fadeOut(block, position: fadeLength - position, length: fadeLength)
            position = max(position - frameCount, 0)
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
            // A fade may be longer later, at another rate.
            if !decay.isRunning(length: fadeLength) { decay.end() }
        }
        last.value = result.last
        return result
    }

    /// Whether a link gives zeros that may come before its sound.
    @_noLocks
    private mutating func waits(for block: SampleBlock) -> Bool {
        guard position == 0, zeroCycles < Self.longestWait, block.isZero else { return false }
        zeroCycles &+= 1
        return true
    }

    /// Lets the sound pass unchanged from its first frame on. What was cut off before does not decay any further.
    @_noLocks
    mutating func begin(fadeLength: Int) {
        position = fadeLength
        decay.end()
    }

    /// Lets the sound pass unchanged from its first frame on, added to what decays.
    @_noLocks
    mutating func beginBesideDecay(fadeLength: Int) { position = fadeLength }

    /// Starts the decay of the last sample, because the sound was cut off.
    @_noLocks
    mutating func cut(last: Float) {
        if position > 0 {
            // A NaN or infinite sample would not decay.
            tail = last.isFinite ? last : 0
            decay.start()
        }
        position = 0
        zeroCycles = 0
    }
}
