// SPDX-License-Identifier: MIT

/// The delay line that a bypass is heard from, and the one that is to take over where the latency changes.
///
/// The new one fills first; then the old one is faded over to it.
struct BypassLines {
    private(set) var current = BypassLine()
    private var next = BypassLine()
    /// Frames of the crossfade between the two that have passed; 0 while there is none.
    private var position = 0

    @_noLocks
    init() {}

    /// Those of the lines that are held.
    var marks: Int { @_noLocks get { current.mark | next.mark } }

    /// The crossfade between the two goes on in this cycle.
    var isFading: Bool { @_noLocks get { next.generation != 0 && next.isFilled } }

    /// Takes over a line with another delay: at once where nothing of the old one is heard, and not before a crossfade
    /// to another one has ended.
    @_noLocks
    mutating func take(_ line: BypassLine, isHeard: Bool) {
        guard line.generation != current.generation else { return }
        if !isHeard {
            self = BypassLines()
            current = line
        } else if position == 0, line.generation != next.generation {
            next = line
        }
    }

    /// A bypass begins: nothing has gone in yet.
    @_noLocks
    mutating func begin() { current.line.forget() }

    /// Forgets the sound in them. Nor is there anything left to be faded from.
    @_noLocks
    mutating func forget() {
        if next.generation != 0 {
            current = next
            next = BypassLine()
            position = 0
        }
        current.line.forget()
    }

    /// Lets silence pass in place of frames that were missed.
    @_noLocks
    mutating func skip(_ silence: SampleBlock, channels: Int) {
        current.line.skip(silence, channels: channels)
        next.line.skip(silence, channels: channels)
    }

    /// A crossfade takes no longer than that, in frames, from now on.
    @_noLocks
    mutating func limitFade(to length: Int) { position = min(position, length) }

    /// Puts a channel's block in, and gives the one that is due.
    ///
    /// - Parameters:
    ///   - place: for the block that is due; it may be given elsewhere. `spare` is for what is on its way there.
    ///   - fadeLength: in frames.
    @_noLocks
    func pass(
        _ block: SampleBlock, _ channel: Int, place: SampleBlock, spare: SampleBlock, fadeLength: Int
    ) -> SampleBlock {
        let old = current.pass(block, channel, place: place)
        guard next.generation != 0 else { return old }
        let new = next.pass(block, channel, place: spare)
        guard next.isFilled else { return old }
        place.crossfade(from: old, to: new, position: position, length: fadeLength)
        return place
    }

    /// After all channels of a cycle.
    @_noLocks
    mutating func advance(by frameCount: Int, fadeLength: Int) {
        let wasFading = isFading
        current.line.advance(by: frameCount)
        guard next.generation != 0 else { return }
        next.line.advance(by: frameCount)
        guard wasFading else { return }
        position += frameCount
        guard position >= fadeLength else { return }
        position = 0
        current = next
        next = BypassLine()
    }
}
