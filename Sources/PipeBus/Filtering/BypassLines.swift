// SPDX-License-Identifier: MIT

/// The delay line of a bypass, and the line that replaces it when the latency changes.
///
/// The new line fills first. Then the output is crossfaded to it.
struct BypassLines {
    private(set) var current = BypassLine()
    private var next = BypassLine()
    /// Position of the crossfade between the two, in frames; 0 while there is none.
    private var position = 0

    @_noLocks
    init() {}

    /// The marks of both lines.
    var marks: Int { @_noLocks get { current.mark | next.mark } }

    /// Whether the crossfade between the two goes on in this cycle.
    var isFading: Bool { @_noLocks get { next.generation != 0 && next.isFilled } }

    /// Takes a line with another delay.
    ///
    /// It is used at once where the old one is not heard. Otherwise it waits for the end of a running crossfade.
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

    /// Resets both lines, because a bypass begins.
    @_noLocks
    mutating func begin() { current.line.forget() }

    /// Resets the lines' sound and ends a crossfade between them.
    @_noLocks
    mutating func forget() {
        if next.generation != 0 {
            current = next
            next = BypassLine()
            position = 0
        }
        current.line.forget()
    }

    /// Stores silence in place of missed frames.
    @_noLocks
    mutating func skip(_ silence: SampleBlock, channels: Int) {
        current.line.skip(silence, channels: channels)
        next.line.skip(silence, channels: channels)
    }

    /// Clamps the position of the crossfade to a new length, in frames.
    @_noLocks
    mutating func limitFade(to length: Int) { position = min(position, length) }

    /// Stores a channel's block, and gives the delayed one.
    ///
    /// - Parameters:
    ///   - place: memory for the delayed block; the result may be elsewhere. `spare` is used on the way.
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

    /// Moves on after all channels of a cycle.
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
